"""Programs of Keras run plainly and recorded, and what they are made of; skips where Keras cannot be."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import traindx
from traindx.quantities import TRAIN_LOSS
from traindx.run import EventKind, Run

os.environ.setdefault("KERAS_BACKEND", "torch")
torch = pytest.importorskip("torch")
keras = pytest.importorskip("keras")
if keras.config.backend() != "torch":
    pytest.skip("Keras runs on another backend", allow_module_level=True)

from keras import Model as Model  # noqa: E402
from keras import layers as layers  # noqa: E402
from keras.callbacks import History  # noqa: E402
from torch import Tensor as Tensor  # noqa: E402

from traindx.recorder.attach import Settings, begin  # noqa: E402

BATCH, EPOCHS = 16, 3


class Outcome:
    """What a program ended with."""

    def __init__(self, model: Model, *histories: History) -> None:
        self.weights = [weight.tolist() for weight in model.get_weights()]
        self.random = (
            torch.get_rng_state().tolist(),
            np.random.get_state(legacy=False)["state"]["key"].tolist(),
        )
        self.history = {
            name: [float(value) for history in histories for value in history.history.get(name, [])]
            for name in dict.fromkeys(name for history in histories for name in history.history)
        }


Program = Callable[[], Outcome]


def recorded(program: Program, folder: Path, every: int = 1) -> tuple[Outcome, list[Run]]:
    """The outcome of a program that is recorded, after it was seen to be the same as without."""
    patched = [keras.losses.Loss, keras.callbacks.CallbackList, keras.optimizers.Optimizer.__mro__[2]]
    before = [dict(vars(owner)) for owner in patched]
    plain = seeded(program)
    # A budget that never runs out: what is looked at must not depend on how busy the machine is.
    with begin(Settings(out=folder, name="run", every=every, budget=100.0)):
        outcome = seeded(program)
    assert outcome.weights == plain.weights
    assert outcome.random == plain.random
    assert outcome.history == plain.history
    assert [dict(vars(owner)) for owner in patched] == before
    runs = traindx.load(folder)
    aside = [event.says for run in runs for event in run.events if event.kind is EventKind.STEPPED_ASIDE]
    assert aside == []
    return outcome, runs


def seeded(program: Program) -> Outcome:
    """The outcome of a program in one thread, with the same dice each time; it may change the policy."""
    torch.set_num_threads(1)
    keras.utils.clear_session()
    keras.utils.set_random_seed(3)
    policy = keras.config.dtype_policy()
    try:
        return program()
    finally:
        keras.config.set_dtype_policy(policy)


def data(count: int = 96) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    inputs = np.random.default_rng(1).normal(size=(count, 8)).astype("float32")
    return inputs, (inputs.sum(1) > 0).astype("int32"), inputs[:, :1] * 2 + 1


def small(outputs: int = 2, activation: str | None = "softmax") -> Model:
    return keras.Sequential(
        [
            layers.Input((8,)),
            layers.Dense(12, activation="relu"),
            layers.BatchNormalization(),
            layers.Dropout(0.1),
            layers.Dense(outputs, activation=activation),
        ]
    )


def whole(run: Run, quantity: traindx.Quantity) -> Sequence[float]:
    return next(
        series.values.tolist() for series in run.all(quantity) if not series.layer and not series.part
    )


def means(run: Run, per_epoch: int) -> list[float]:
    return run[TRAIN_LOSS].values.reshape(-1, per_epoch).mean(1).tolist()  # type: ignore[no-any-return]  # floats
