import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import traindx
from traindx import facts as f
from traindx.event import EventKind
from traindx.quantities import (
    ACTIVATION_STD,
    CLIPPED_GRADIENT_NORM,
    EPOCH,
    GRADIENT_NORM,
    LEARNING_RATE,
    LOSS_SCALE,
    SKIPPED_STEPS,
    TRAIN_ACCURACY,
    TRAIN_LOSS,
    UPDATE_RATIO,
    VAL_ACCURACY,
    VAL_LOSS,
)
from traindx.run import Run

os.environ.setdefault("KERAS_BACKEND", "torch")
torch = pytest.importorskip("torch")
keras = pytest.importorskip("keras")
if keras.config.backend() != "torch":
    pytest.skip("Keras runs on another backend", allow_module_level=True)

from keras import Model, layers  # noqa: E402
from keras.callbacks import History  # noqa: E402
from torch import Tensor  # noqa: E402

from traindx.watching import Settings, begin  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

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
            name: [float(one) for history in histories for one in history.history.get(name, [])]
            for name in dict.fromkeys(name for history in histories for name in history.history)
        }


Program = Callable[[], Outcome]


@pytest.fixture(autouse=True)
def _threads_and_policy() -> Iterator[None]:
    torch.set_num_threads(1)
    policy = keras.config.dtype_policy()
    yield
    keras.config.set_dtype_policy(policy)


def recorded(program: Program, folder: Path, every: int = 1) -> tuple[Outcome, list[Run]]:
    """The outcome of a program that is recorded, after it was seen to be the same as without."""
    patched = [keras.losses.Loss, keras.callbacks.CallbackList, keras.optimizers.Optimizer.__mro__[2]]
    before = [dict(vars(owner)) for owner in patched]
    plain = _seeded(program)
    # A budget that never runs out: what is looked at must not depend on how busy the machine is.
    with begin(Settings(out=folder, name="run", every=every, budget=100.0)):
        outcome = _seeded(program)
    assert outcome.weights == plain.weights
    assert outcome.random == plain.random
    assert outcome.history == plain.history
    assert [dict(vars(owner)) for owner in patched] == before
    runs = traindx.load(folder)
    aside = [event.says for run in runs for event in run.events if event.kind is EventKind.STEPPED_ASIDE]
    assert aside == []
    return outcome, runs


def _seeded(program: Program) -> Outcome:
    keras.utils.clear_session()
    keras.utils.set_random_seed(3)
    return program()


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


@pytest.mark.parametrize("every", [1, 7])
def test_fit_is_recorded_whole(every: int, tmp_path: Path) -> None:
    def program() -> Outcome:
        inputs, classes, _ = data()
        model = small()
        model.compile(keras.optimizers.Adam(5e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
        parts = (inputs[80:], classes[80:])
        return Outcome(
            model,
            model.fit(inputs[:80], classes[:80], BATCH, EPOCHS, verbose=0, validation_data=parts),
        )

    outcome, (run,) = recorded(program, tmp_path, every)

    assert means(run, 5) == pytest.approx(outcome.history["loss"], rel=1e-6)
    assert run[VAL_LOSS].values.tolist() == outcome.history["val_loss"]
    assert run[VAL_ACCURACY].values.tolist() == outcome.history["val_accuracy"]
    assert run[VAL_LOSS].steps.tolist() == [5, 10, 15]
    reported = next(series for series in run.all(TRAIN_ACCURACY) if series.part == "reported")
    assert reported.values.tolist() == outcome.history["accuracy"]
    assert run[EPOCH].values.tolist() == pytest.approx(np.arange(1, 16) / 5)
    assert [layer.name for layer in run.model] == [
        "dense.kernel",
        "dense.bias",
        "batch_normalization.gamma",
        "batch_normalization.beta",
        "dense_1.kernel",
        "dense_1.bias",
    ]
    assert [layer.kind for layer in run.model][::2] == ["Dense", "BatchNormalization", "Dense"]
    assert all(layer.trainable and layer.optimized and layer.gradient for layer in run.model)
    outputs = {series.layer for series in run.all(ACTIVATION_STD) if not series.part}
    assert outputs == {"dense", "batch_normalization", "dropout", "dense_1"}
    assert {series.layer for series in run.all(UPDATE_RATIO)} >= {"dense.kernel", "dense_1.kernel"}


def test_what_keras_is_set_to_are_facts(tmp_path: Path) -> None:
    def program() -> Outcome:
        inputs, classes, _ = data()
        model = small()
        optimizer = keras.optimizers.SGD(0.05, momentum=0.9, weight_decay=1e-3, clipvalue=2.0)
        model.compile(optimizer, "sparse_categorical_crossentropy")
        return Outcome(model, model.fit(inputs, classes, BATCH, EPOCHS, verbose=0, validation_split=0.25))

    _, (run,) = recorded(program, tmp_path)

    expected = {
        f.FRAMEWORK: "keras",
        f.MODEL: "Sequential",
        f.OPTIMIZER: "SGD",
        f.LEARNING_RATE: 0.05,
        f.MOMENTUM: 0.9,
        f.WEIGHT_DECAY: 1e-3,
        f.GRADIENT_CLIP: 2.0,
        f.PLANNED_EPOCHS: EPOCHS,
        f.BATCH_SIZE: BATCH,
        f.TRAINING_SAMPLES: 72,
        f.VALIDATION_SAMPLES: 24,
        f.SHUFFLE: True,
        f.LOSS_FUNCTION: "sparse_categorical_crossentropy",
        f.DROPOUT: 0.1,
        f.DROPOUT_LAYERS: 1,
        f.NORMALISATION_LAYERS: 1,
        f.FROZEN_PARAMETERS: 0,
        f.UNOPTIMIZED_PARAMETERS: 0,
        f.TRAINED_IN_EVAL_MODE: 0.0,
        f.VALIDATED_IN_TRAIN_MODE: 0.0,
        f.VALIDATED_WITH_GRADIENT: 0.0,
        f.GRADIENTS_CLEARED: 1.0,
    }
    assert {fact.slug: run.facts.get(fact) for fact in expected} == {
        fact.slug: value for fact, value in expected.items()
    }
    assert str(run.facts[f.STEP_PLACE]).startswith("tests/instruments/test_keras.py:")


class Spy(keras.optimizers.SGD):  # type: ignore[name-defined]  # Keras has no types here
    """Notes the norm of the gradients that are to be clipped and applied."""

    norms: ClassVar[list[float]] = []

    def _clip_gradients(self, grads: Sequence[Tensor]) -> Sequence[Tensor]:
        self.norms.append(sum(float(one.double().square().sum()) for one in grads) ** 0.5)
        return super()._clip_gradients(grads)  # type: ignore[no-any-return]  # Keras has no types here


@pytest.mark.parametrize("every", [1, 5])
@pytest.mark.parametrize(
    "settings",
    [{}, {"gradient_accumulation_steps": 3}, {"loss_scale_factor": 64.0}, {"global_clipnorm": 0.5}],
    ids=["plain", "accumulated", "scaled", "clipped"],
)
def test_gradients_are_those_that_are_applied(settings: dict[str, float], every: int, tmp_path: Path) -> None:
    def program() -> Outcome:
        inputs, _, numbers = data()
        model = small(1, None)
        model.compile(Spy(0.01, **settings), "mse")
        Spy.norms = []
        return Outcome(model, model.fit(inputs, numbers, BATCH, EPOCHS, verbose=0))

    outcome, (run,) = recorded(program, tmp_path, every)

    assert whole(run, GRADIENT_NORM) == pytest.approx(Spy.norms, rel=1e-5)
    per_epoch = 6 // int(settings.get("gradient_accumulation_steps", 1))
    assert means(run, per_epoch) == pytest.approx(outcome.history["loss"], rel=1e-5)
    if "global_clipnorm" in settings:
        clipped = [min(norm, 0.5) for norm in Spy.norms]
        assert whole(run, CLIPPED_GRADIENT_NORM) == pytest.approx(clipped, rel=1e-5)


def test_a_loss_scale_that_overflows_leaves_steps_out(tmp_path: Path) -> None:
    def program() -> Outcome:
        keras.config.set_dtype_policy("mixed_float16")
        inputs, _, numbers = data()
        model = small(1, None)
        optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=2.0**24)
        model.compile(optimizer, "mse")
        return Outcome(model, model.fit(inputs, numbers, BATCH, EPOCHS, verbose=0))

    outcome, (run,) = recorded(program, tmp_path)

    assert means(run, 6) == pytest.approx(outcome.history["loss"], rel=1e-3)
    skipped = int(run[SKIPPED_STEPS].values[-1])
    assert 0 < skipped < 18
    assert run[LOSS_SCALE].values.tolist()[: skipped + 1] == [2.0 ** (24 - n) for n in range(skipped + 1)]


def test_a_schedule_is_followed_and_several_outputs_are_one_loss(tmp_path: Path) -> None:
    def program() -> Outcome:
        inputs, classes, numbers = data()
        given = layers.Input((8,))
        hidden = layers.Dense(10, activation="relu", kernel_regularizer="l2")(given)
        outputs = {"a": layers.Dense(2, name="a")(hidden), "b": layers.Dense(1, name="b")(hidden)}
        model = keras.Model(given, outputs)
        rate = keras.optimizers.schedules.CosineDecay(1e-2, 18)
        losses = {"a": keras.losses.SparseCategoricalCrossentropy(from_logits=True), "b": "mse"}
        model.compile(keras.optimizers.AdamW(rate), losses, loss_weights={"a": 1.0, "b": 0.1})
        targets = {"a": classes, "b": numbers}
        return Outcome(
            model, model.fit(inputs, targets, BATCH, EPOCHS, verbose=0, validation_data=(inputs, targets))
        )

    outcome, (run,) = recorded(program, tmp_path)

    steps = np.arange(18)
    assert run[LEARNING_RATE].values.tolist() == pytest.approx(
        5e-3 * (1 + np.cos(np.pi * steps / 18)), rel=1e-5
    )
    assert run.facts[f.SCHEDULE] == "CosineDecay"
    assert means(run, 6) == pytest.approx(outcome.history["loss"], rel=1e-6)
    assert run[VAL_LOSS].values.tolist() == outcome.history["val_loss"]
    parts = {series.part: series.values.tolist() for series in run.all(VAL_LOSS)}
    assert parts["b"] == outcome.history["val_b_loss"]


def test_a_step_of_the_programs_own_is_recorded(tmp_path: Path) -> None:
    class Own(keras.Model):  # type: ignore[name-defined]  # Keras has no types here
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = layers.Dense(8, activation="relu"), layers.Dense(1)
            self.seen: list[float] = []

        def call(self, inputs: object, training: bool = False) -> object:
            return self.last(self.first(inputs))

        def train_step(self, batch: tuple[Tensor, Tensor]) -> dict[str, object]:
            self.zero_grad()
            loss = self.compute_loss(y=batch[1], y_pred=self(batch[0], training=True))
            loss.backward()
            weights = list(self.trainable_weights)
            with torch.no_grad():
                self.optimizer.apply([weight.value.grad for weight in weights], weights)
            self.seen.append(loss.item())
            return {}

    models = []

    def program() -> Outcome:
        inputs, _, numbers = data()
        model = Own()
        models.append(model)
        model.compile("adam", keras.losses.MeanSquaredError())
        return Outcome(model, model.fit(inputs, numbers, BATCH, EPOCHS, verbose=0))

    _, (run,) = recorded(program, tmp_path)

    assert run[TRAIN_LOSS].values.tolist() == list(models[-1].seen)
    assert [layer.name for layer in run.model] == [
        "dense.kernel",
        "dense.bias",
        "dense_1.kernel",
        "dense_1.bias",
    ]
    assert run.facts[f.LOSS_FUNCTION] == "mean_squared_error"


def test_a_frozen_part_and_a_module_of_torch_are_named(tmp_path: Path) -> None:
    def program() -> Outcome:
        inputs, _, numbers = data()
        base = keras.Sequential(
            [layers.Input((8,)), layers.Dense(6), layers.BatchNormalization()], name="base"
        )
        base.trainable = False
        linear = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        given = layers.Input((8,))
        model = keras.Model(
            given,
            layers.TorchModuleWrapper(linear, name="tail", output_shape=(None, 1))(
                base(given, training=False)
            ),
        )
        model.compile("adam", "mse")
        return Outcome(model, model.fit(inputs, numbers, BATCH, EPOCHS, verbose=0))

    _, (run,) = recorded(program, tmp_path)

    assert {layer.name: (layer.trainable, layer.gradient) for layer in run.model} == {
        "base.dense.kernel": (False, False),
        "base.dense.bias": (False, False),
        "base.batch_normalization.gamma": (False, False),
        "base.batch_normalization.beta": (False, False),
        "tail.module.0.weight": (True, True),
        "tail.module.0.bias": (True, True),
        "tail.module.2.weight": (True, True),
        "tail.module.2.bias": (True, True),
    }
    assert run.facts[f.FROZEN_PARAMETERS] == 4


def test_predictions_and_tests_are_not_validation(tmp_path: Path) -> None:
    def program() -> Outcome:
        inputs, classes, _ = data()
        model = small()
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        predicting = keras.callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: model.predict(inputs[:9], verbose=0)
        )
        halving = keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
        parts = (inputs[:32], classes[:32])
        first = model.fit(
            inputs,
            classes,
            BATCH,
            EPOCHS,
            verbose=0,
            validation_data=parts,
            validation_freq=3,
            callbacks=[predicting, halving],
        )
        model.evaluate(inputs[32:64], classes[32:64], verbose=0)
        second = model.fit(inputs, classes, BATCH, 1, verbose=0)
        return Outcome(model, first, second)

    outcome, (run,) = recorded(program, tmp_path)

    assert means(run, 6) == pytest.approx(outcome.history["loss"], rel=1e-6)
    validated = next(series for series in run.all(VAL_LOSS) if not series.part)
    assert validated.values.tolist() == outcome.history["val_loss"]
    assert validated.steps.tolist() == [18]
    assert run[LEARNING_RATE].values[::6].tolist() == pytest.approx(
        [5e-4, 2.5e-4, 1.25e-4, 1.25e-4], rel=1e-6
    )
    assert run[EPOCH].values[-1] == 4.0


def test_data_of_any_kind_is_one_source(tmp_path: Path) -> None:
    inputs, classes, _ = data()

    class Batches(keras.utils.PyDataset):  # type: ignore[name-defined]  # Keras has no types here
        def __len__(self) -> int:
            return 6

        def __getitem__(self, place: int) -> tuple[np.ndarray, np.ndarray]:
            return inputs[place * 16 : place * 16 + 16], classes[place * 16 : place * 16 + 16]

    def program() -> Outcome:
        model = small()
        model.compile("adam", "sparse_categorical_crossentropy")
        pairs = torch.utils.data.TensorDataset(torch.from_numpy(inputs), torch.from_numpy(classes))
        loader = torch.utils.data.DataLoader(pairs, batch_size=16, shuffle=True)
        histories = [model.fit(source, epochs=2, verbose=0) for source in (Batches(), loader)]
        return Outcome(model, *histories)

    outcome, (run,) = recorded(program, tmp_path)

    assert means(run, 6) == pytest.approx(outcome.history["loss"], rel=1e-6)
    assert run[EPOCH].values[5::6].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert VAL_LOSS not in run


def test_a_loop_of_torch_around_a_keras_model_is_recorded(tmp_path: Path) -> None:
    def program() -> Outcome:
        inputs, classes, _ = (torch.from_numpy(one) for one in data())
        model = small(2, None)
        optimizer = torch.optim.Adam([one.value for one in model.trainable_variables], 1e-2)
        for start in [0, 16, 32, 48, 64, 80]:
            optimizer.zero_grad()
            scores = model(inputs[start : start + 16], training=True)
            torch.nn.functional.cross_entropy(scores, classes[start : start + 16].long()).backward()
            optimizer.step()
        return Outcome(model)

    _, (run,) = recorded(program, tmp_path)

    assert len(run[TRAIN_LOSS]) == 6
    assert next(layer.name for layer in run.model if layer.gradient) == "dense.kernel"
    assert run.facts[f.TRAINED_IN_EVAL_MODE] == 0.0


def test_a_fault_of_ours_leaves_the_training_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from traindx.instruments import keras_layers, keras_loops, keras_losses, keras_optimizers

    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    def program() -> Outcome:
        inputs, classes, _ = data()
        model = small()
        model.compile("adam", "sparse_categorical_crossentropy")
        return Outcome(model, model.fit(inputs, classes, BATCH, EPOCHS, verbose=0, validation_split=0.25))

    plain = _seeded(program)
    monkeypatch.setattr(keras_layers.KerasLayers, "told_as", fail)
    monkeypatch.setattr(keras_losses, "_tell", fail)
    monkeypatch.setattr(keras_loops.KerasLoops, "_tell_batch", fail)
    monkeypatch.setattr(keras_optimizers.KerasOptimizers, "_begin", fail)
    with begin(Settings(out=tmp_path, name="run")):
        outcome = _seeded(program)

    assert outcome.weights == plain.weights
    assert outcome.history == plain.history
    events = traindx.load(tmp_path)[0].events
    aside = [event.says for event in events if event.kind is EventKind.STEPPED_ASIDE]
    assert len(aside) == 4
    assert all("(RuntimeError: broken)" in says for says in aside)
