"""Losses of Keras that are learned from otherwise, against losses that are written so."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.changes.live.keras.trainings import (
    CLASSES,
    ROWS,
    Sequential,
    applied,
    changed,
    dense,
    keras,
    layers,
    refused,
    torch,
    train,
)

pytestmark = pytest.mark.filterwarnings("ignore")

losses = keras.losses
YES = (ROWS[:, :1] > 0.8).astype("float32")
COUNTS = np.bincount(CLASSES, minlength=3)
HOT = np.eye(3)[CLASSES]


def scoring() -> Sequential:
    return dense(last=None)


def deciding() -> Sequential:
    return Sequential([layers.Input((4,)), layers.Dense(1, "sigmoid")])


@pytest.mark.parametrize("loss", ["sparse", "categorical", "binary"])
def test_classes_are_weighed_and_the_loss_is_shown_without(loss: str, tmp_path: Path) -> None:
    made = deciding if loss == "binary" else dense
    targets = {"sparse": CLASSES, "categorical": HOT, "binary": YES}[loss]
    counts = COUNTS if loss != "binary" else np.array([(YES == 0).sum(), (YES == 1).sum()])
    weights = {index: len(ROWS) / (len(counts) * count) for index, count in enumerate(counts)}
    name = "binary_crossentropy" if loss == "binary" else f"{loss}_categorical_crossentropy"
    name = name.replace("categorical_categorical", "categorical")
    with changed(tmp_path, "loss.class_weights balanced"):
        training = train(made, loss=name, targets=targets)
    wanted = train(made, loss=name, targets=targets, class_weight=weights)
    assert training.weights == pytest.approx(wanted.weights, rel=1e-4, abs=1e-6)
    assert training.losses[0] == pytest.approx(train(made, loss=name, targets=targets, steps=1).losses[0])
    assert applied(tmp_path) == [f"{len(counts)} classes weighted by inverse frequency"]


def test_a_loss_of_scores_is_weighed_once(tmp_path: Path) -> None:
    def straight() -> Sequential:
        return Sequential([layers.Input((4,)), layers.Dense(1)])

    loss = losses.BinaryCrossentropy(from_logits=True)
    with changed(tmp_path, "loss.class_weights balanced"):
        training = train(straight, loss=loss, targets=YES)
        squashed = train(deciding, loss="binary_crossentropy", targets=YES)
    assert training.weights == pytest.approx(squashed.weights, rel=1e-4, abs=1e-6)


def test_labels_are_smoothed_and_the_loss_is_shown_without(tmp_path: Path) -> None:
    smooth = losses.CategoricalCrossentropy(label_smoothing=0.2)
    wanted = train(loss=smooth, targets=HOT)
    for loss, targets in (("sparse_categorical_crossentropy", CLASSES), ("categorical_crossentropy", HOT)):
        with changed(tmp_path, "loss.label_smoothing 0.2"):
            training = train(loss=loss, targets=targets)
        assert training.weights == pytest.approx(wanted.weights, rel=1e-4, abs=1e-6)
        assert training.losses[0] == pytest.approx(train(steps=1).losses[0])
    with changed(tmp_path, "loss.label_smoothing 0"):
        assert train(loss=smooth, targets=HOT).weights == pytest.approx(train().weights, abs=1e-6)


def test_changes_of_the_loss_are_taken_together(tmp_path: Path) -> None:
    weights = {index: len(ROWS) / (3 * count) for index, count in enumerate(COUNTS)}
    smooth = losses.CategoricalCrossentropy(label_smoothing=0.2)
    with changed(tmp_path, "loss.class_weights balanced", "loss.label_smoothing 0.2"):
        training = train()
    wanted = train(loss=smooth, targets=HOT, class_weight=weights)
    assert training.weights == pytest.approx(wanted.weights, rel=1e-4, abs=1e-6)
    assert training.losses[0] == pytest.approx(train(steps=1).losses[0])


def test_a_doubled_softmax_and_a_missing_one_are_repaired(tmp_path: Path) -> None:
    on_scores = losses.SparseCategoricalCrossentropy(from_logits=True)
    both = (ROWS, CLASSES)
    wanted = train(scoring, loss=on_scores, validation_data=both)
    with changed(tmp_path, "loss.remove_softmax"):
        assert train(dense, loss=on_scores).losses == pytest.approx(wanted.losses)
    with changed(tmp_path, "loss.from_scores"):
        training = train(scoring, validation_data=both)
    assert training.losses == pytest.approx(wanted.losses)
    assert training.history["val_loss"] == pytest.approx(wanted.history["val_loss"])
    with changed(tmp_path, "loss.remove_softmax"):
        train(steps=1)
    assert refused(tmp_path) == ["no softmax or sigmoid before a loss on logits"]


def test_the_mean_is_learned_from_and_the_sum_is_shown(tmp_path: Path) -> None:
    summed = losses.SparseCategoricalCrossentropy(reduction="sum")
    plain = train()
    with changed(tmp_path, "loss.use_mean"):
        training = train(loss=summed)
    assert training.weights == pytest.approx(plain.weights, rel=1e-4, abs=1e-6)
    assert training.losses == pytest.approx([len(ROWS) * loss for loss in plain.losses], rel=1e-4)


def test_targets_are_standardized_and_losses_stay_in_their_unit(tmp_path: Path) -> None:
    wanted = 500 + 100 * ROWS[:, :1]

    def one() -> Sequential:
        return Sequential([layers.Input((4,)), layers.Dense(1)])

    with changed(tmp_path, "targets.standardize"):
        training = train(one, keras.optimizers.SGD(0.1), "mse", targets=wanted, steps=60)
        assert float(training.model.predict(ROWS, verbose=0).mean()) == pytest.approx(wanted.mean(), rel=0.01)
        train(steps=1)
    # The variance of the targets, not 1: the first answers are standardized ones, brought back.
    assert training.losses[0] == pytest.approx(1e4, rel=0.6)
    assert training.losses[-1] < 100
    assert refused(tmp_path) == ["not a regression model with one output"]


class Squares(keras.losses.Loss):
    """A loss of the program's own, which takes shapes as they come."""

    def call(self, y_true: object, y_pred: object) -> object:
        return keras.ops.square(y_true - y_pred)  # type: ignore[operator]


def test_targets_get_the_shape_of_predictions(tmp_path: Path) -> None:
    def one() -> Sequential:
        return Sequential([layers.Input((4,)), layers.Dense(1)])

    with changed(tmp_path, "targets.match_shape"):
        training = train(one, keras.optimizers.SGD(0.1), Squares(), targets=ROWS[:, 0])
    assert training.losses == pytest.approx(
        train(one, keras.optimizers.SGD(0.1), "mse", targets=ROWS[:, :1]).losses
    )


def test_changes_of_torch_reach_the_loss_as_well(tmp_path: Path) -> None:
    def negated(y_true: object, y_pred: object) -> object:
        return -losses.sparse_categorical_crossentropy(y_true, y_pred)

    def unguarded(y_true: object, y_pred: object) -> object:
        return -keras.ops.log(keras.ops.relu(y_pred - 0.4))[:, 0]  # type: ignore[operator]

    with changed(tmp_path, "loss.negate"):
        turned = train(loss=negated)
    assert turned.losses == pytest.approx([-loss for loss in train().losses])
    assert not math.isfinite(train(loss=unguarded).losses[-1])
    with changed(tmp_path, "loss.stabilize"):
        assert all(map(math.isfinite, train(loss=unguarded).losses))
    assert torch.is_grad_enabled()
