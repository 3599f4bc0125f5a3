"""What fit() does is recorded as Keras itself tells it: losses, gradients, scales, schedules."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

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
    small,
    whole,
)
from traindx import facts as f
from traindx.quantities import (
    ACTIVATION_STD,
    CLIPPED_GRADIENT_NORM,
    EPOCH,
    GRADIENT_NORM,
    LEARNING_RATE,
    LOSS_SCALE,
    SKIPPED_STEPS,
    TRAIN_ACCURACY,
    UPDATE_RATIO,
    VAL_ACCURACY,
    VAL_LOSS,
)

pytestmark = pytest.mark.filterwarnings("ignore")


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
        f.NORMALIZATION_LAYERS: 1,
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
    assert str(run.facts[f.STEP_PLACE]).startswith("tests/recorder/hooks/test_keras.py:")


class Spy(keras.optimizers.SGD):
    """Notes the norm of the gradients that are to be clipped and applied."""

    norms: ClassVar[list[float]] = []

    def _clip_gradients(self, grads: Sequence[Tensor]) -> Sequence[Tensor]:
        self.norms.append(sum(float(grad.double().square().sum()) for grad in grads) ** 0.5)
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
        entrance = layers.Input((8,))
        hidden = layers.Dense(10, activation="relu", kernel_regularizer="l2")(entrance)
        outputs = {"a": layers.Dense(2, name="a")(hidden), "b": layers.Dense(1, name="b")(hidden)}
        model = keras.Model(entrance, outputs)
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
