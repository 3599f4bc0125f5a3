"""Small trainings of Keras, with changes and without; skips where Keras cannot be."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

os.environ.setdefault("KERAS_BACKEND", "torch")
torch = pytest.importorskip("torch")
keras = pytest.importorskip("keras")
if keras.config.backend() != "torch":
    pytest.skip("Keras runs on another backend", allow_module_level=True)

from keras import Model as Model  # noqa: E402
from keras import Sequential as Sequential  # noqa: E402
from keras import layers as layers  # noqa: E402
from keras.src.optimizers.base_optimizer import BaseOptimizer  # noqa: E402

from traindx.changes.live.apply import begin  # noqa: E402
from traindx.changes.live.program import Program  # noqa: E402
from traindx.changes.types import parse_change  # noqa: E402
from traindx.recorder.launch.command import NOTES  # noqa: E402

STEPS = 6
RATE = 0.5
Array = NDArray[np.float64] | NDArray[np.int64]

ROWS: Array = np.random.default_rng(0).normal(size=(48, 4)).astype("float32")
CLASSES = (3 * ROWS[:, 0] + ROWS[:, 1] > 0).astype("int32") + (ROWS[:, 2] > 1)


@dataclass
class Seen:
    """What a training looked like."""

    model: Model
    losses: list[float]
    """One for each step: all rows are one batch, where nothing else is said."""
    history: Mapping[str, list[float]] = field(default_factory=dict)

    @property
    def weights(self) -> list[float]:
        """All weights, in a row."""
        return [float(value) for weight in self.model.get_weights() for value in weight.flatten()]


def dense(activation: object = "relu", last: object = "softmax", **settings: object) -> Sequential:
    """Two layers."""
    return Sequential(
        [layers.Input((4,)), layers.Dense(8, activation, **settings), layers.Dense(3, last, **settings)]
    )


def train(
    made: "object" = dense,
    optimizer: "BaseOptimizer | None" = None,
    loss: object = "sparse_categorical_crossentropy",
    *,
    rows: Array = ROWS,
    targets: Array = CLASSES,
    steps: int = STEPS,
    **fitting: object,
) -> Seen:
    """A few steps by `fit`."""
    keras.utils.set_random_seed(1)
    model = made()  # type: ignore[operator]
    model.compile(optimizer or keras.optimizers.SGD(RATE), loss)
    settings = {"batch_size": len(rows), "epochs": steps, "shuffle": False, "verbose": 0, **fitting}
    history = model.fit(rows, targets, **settings)
    return Seen(model, history.history["loss"], history.history)


@contextmanager
def changed(folder: Path, *texts: str, steps: int | None = STEPS) -> Iterator[Program]:
    """A program with changes, until it ends."""
    program = Program(folder, steps)
    try:
        begin(program, [parse_change(text) for text in texts])
        yield program
    finally:
        program.patches.undo()


def notes(folder: Path) -> list[tuple[bool, str]]:
    """What was noted down: whether it was applied, and what it says."""
    path = folder / NOTES
    lines: Sequence[str] = path.read_text().splitlines() if path.exists() else ()
    records = [json.loads(line) for line in lines]
    return [(bool(record["applied"]), str(record["says"])) for record in records]


def applied(folder: Path) -> list[str]:
    """What was done."""
    return [says for done, says in notes(folder) if done]


def refused(folder: Path) -> list[str]:
    """Why something was not done."""
    return [says for done, says in notes(folder) if not done]
