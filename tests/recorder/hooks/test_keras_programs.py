"""Programs around Keras: steps of their own, modules of torch, predictions, data of any kind, our faults."""

from pathlib import Path

import numpy as np
import pytest

import traindx
from tests.recorder.hooks.keras_programs import (
    BATCH,
    EPOCHS,
    Outcome,
    Tensor,
    data,
    keras,
    layers,
    means,
    recorded,
    seeded,
    small,
    torch,
)
from traindx import facts as f
from traindx.quantities import (
    EPOCH,
    LEARNING_RATE,
    TRAIN_LOSS,
    VAL_LOSS,
)
from traindx.recorder.attach import Settings, begin
from traindx.run import EventKind

pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_step_of_the_programs_own_is_recorded(tmp_path: Path) -> None:
    class Own(keras.Model):
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
        entrance = layers.Input((8,))
        model = keras.Model(
            entrance,
            layers.TorchModuleWrapper(linear, name="tail", output_shape=(None, 1))(
                base(entrance, training=False)
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

    class Batches(keras.utils.PyDataset):
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
        inputs, classes, _ = (torch.from_numpy(array) for array in data())
        model = small(2, None)
        optimizer = torch.optim.Adam([variable.value for variable in model.trainable_variables], 1e-2)
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
    from traindx.recorder.hooks import keras, keras_layers, keras_optimizers

    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    def program() -> Outcome:
        inputs, classes, _ = data()
        model = small()
        model.compile("adam", "sparse_categorical_crossentropy")
        return Outcome(model, model.fit(inputs, classes, BATCH, EPOCHS, verbose=0, validation_split=0.25))

    plain = seeded(program)
    monkeypatch.setattr(keras_layers.KerasLayers, "told_as", fail)
    monkeypatch.setattr(keras_layers, "_tell", fail)
    monkeypatch.setattr(keras.KerasLoops, "_tell_batch", fail)
    monkeypatch.setattr(keras_optimizers.KerasOptimizers, "_begin", fail)
    with begin(Settings(out=tmp_path, name="run")):
        outcome = seeded(program)

    assert outcome.weights == plain.weights
    assert outcome.history == plain.history
    events = traindx.load(tmp_path)[0].events
    aside = [event.says for event in events if event.kind is EventKind.STEPPED_ASIDE]
    assert len(aside) == 4
    assert all("(RuntimeError: broken)" in says for says in aside)
