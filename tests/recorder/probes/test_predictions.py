"""The share of answers that are wrong and sure, by hand."""

import statistics

import pytest
import torch
from torch import Tensor

from tests.recorder.probes.sampling import VALIDATION, Loop
from traindx.quantities import (
    COMMONEST_PREDICTION_SHARE,
    CONFIDENTLY_WRONG_SHARE,
    PREDICTED_CLASSES,
    PREDICTION_MAX,
    PREDICTION_MEAN,
    PREDICTION_MIN,
    PREDICTION_NONFINITE_SHARE,
    PREDICTION_STD,
)
from traindx.recorder.losses.answers import answers_of
from traindx.recorder.probes.predictions import Predictions, confidently_wrong_share
from traindx.recorder.probes.types import LossCall, Purpose

pytest.importorskip("torch")

CHANCES = torch.tensor([[0.05, 0.90, 0.05], [0.20, 0.75, 0.05], [0.90, 0.05, 0.05], [0.45, 0.06, 0.49]])
"""Where class 0 is right, only the first is wrong and sure."""
RIGHT = torch.tensor([0, 0, 0, 1])


def share(function: str, prediction: Tensor, target: Tensor, **options: object) -> float | None:
    value = torch.tensor(0.0)
    answers = answers_of(LossCall(function, prediction, target, value, options, Purpose.TRAINING))
    assert answers is not None
    return confidently_wrong_share(answers)


@pytest.mark.parametrize(
    ("function", "prediction", "options"),
    [
        ("cross_entropy", CHANCES.log() + 7, {}),
        ("nll_loss", CHANCES.log(), {}),
        ("sparse_categorical_crossentropy", CHANCES, {"from_logits": False}),
        ("sparse_categorical_crossentropy", CHANCES.log() - 2, {"from_logits": True}),
    ],
)
def test_classes(function: str, prediction: Tensor, options: dict[str, object]) -> None:
    assert share(function, prediction, RIGHT, **options) == 0.25


def test_shares_and_ignored_places() -> None:
    assert share("cross_entropy", CHANCES.log(), torch.eye(3)[RIGHT]) == 0.25
    ignored = torch.tensor([0, -100, -100, 1])
    assert share("cross_entropy", CHANCES.log(), ignored) == 0.5
    assert share("cross_entropy", CHANCES.log(), torch.tensor([0, 0, 0, 1]), ignore_index=0) == 0.0
    assert share("cross_entropy", CHANCES.log(), torch.full((4,), -100)) is None


def test_places_of_images_are_counted_one_by_one() -> None:
    images = CHANCES.log().T.reshape(1, 3, 2, 2)
    assert share("cross_entropy", images, RIGHT.reshape(1, 2, 2)) == 0.25


@pytest.mark.parametrize(
    ("function", "options"),
    [
        ("binary_cross_entropy", {}),
        ("binary_crossentropy", {"from_logits": False}),
        ("binary_cross_entropy_with_logits", {}),
        ("binary_crossentropy", {"from_logits": True}),
    ],
)
def test_yes_and_no(function: str, options: dict[str, object]) -> None:
    chances = torch.tensor([[0.95], [0.8], [0.05], [0.02]])
    scores = function.endswith("logits") or options.get("from_logits")
    right = torch.tensor([[0.0], [0.0], [0.0], [1.0]])
    assert share(function, chances.logit() if scores else chances, right, **options) == 0.5


def test_margins_and_numbers_are_no_probabilities() -> None:
    assert share("multi_margin_loss", CHANCES, RIGHT) is None
    assert share("mse_loss", CHANCES, CHANCES) is None


CHANCE = torch.Generator().manual_seed(8)


def test_scores_are_described_over_the_batch() -> None:
    prediction = torch.randn(30, 4, generator=CHANCE) + torch.tensor([0.0, 5.0, -5.0, 2.0])
    written = Loop(Predictions()).loss("cross_entropy", prediction, torch.zeros(30, dtype=torch.int64))
    rows = prediction.double().tolist()
    values = [value for row in rows for value in row]
    chosen = [row.index(max(row)) for row in rows]
    chances = prediction.double().softmax(1).tolist()
    wrong = [row[0] < 0.1 and max(row) > 0.5 for row in chances]
    variances = [statistics.pvariance(column) for column in zip(*rows, strict=True)]
    assert written == pytest.approx(
        {
            PREDICTION_MEAN: statistics.fmean(values),
            PREDICTION_STD: statistics.fmean(variances) ** 0.5,
            PREDICTION_MIN: min(values),
            PREDICTION_MAX: max(values),
            PREDICTION_NONFINITE_SHARE: 0.0,
            PREDICTED_CLASSES: len(set(chosen)),
            COMMONEST_PREDICTION_SHARE: max(map(chosen.count, chosen)) / 30,
            CONFIDENTLY_WRONG_SHARE: sum(wrong) / 30,
        }
    )


def test_the_same_answer_to_every_input_does_not_vary() -> None:
    prediction = torch.tensor([0.3, 2.0, -1.0]).expand(16, 3)
    values = Loop(Predictions()).loss("cross_entropy", prediction, torch.zeros(16, dtype=torch.int64))
    assert values[PREDICTION_STD] == pytest.approx(0.0, abs=1e-12)
    assert values[COMMONEST_PREDICTION_SHARE] == 1.0
    assert values[PREDICTED_CLASSES] == 1.0


def test_numbers_have_no_classes() -> None:
    prediction = torch.randn(16, 1, generator=CHANCE)
    values = Loop(Predictions()).loss("mse_loss", prediction, torch.zeros(16, 1))
    assert values[PREDICTION_STD] == pytest.approx(float(prediction.double().std(correction=0)))
    assert PREDICTED_CLASSES not in values


def test_a_single_row_has_no_spread() -> None:
    values = Loop(Predictions()).loss("mse_loss", torch.ones(1, 3), torch.zeros(1, 3))
    assert PREDICTION_STD not in values
    assert values[PREDICTION_MEAN] == 1.0


def test_values_that_are_not_finite_are_counted_and_left_out() -> None:
    prediction = torch.tensor([[1.0, 2.0], [torch.nan, 4.0], [torch.inf, 6.0]])
    values = Loop(Predictions()).loss("mse_loss", prediction, torch.zeros(3, 2))
    assert values[PREDICTION_NONFINITE_SHARE] == pytest.approx(2 / 6)
    assert values[PREDICTION_MAX] == 6.0
    assert values[PREDICTION_MEAN] == pytest.approx(13 / 4)
    empty = Loop(Predictions()).loss("mse_loss", torch.full((3, 2), torch.nan), torch.zeros(3, 2))
    assert empty == {PREDICTION_NONFINITE_SHARE: 1.0}


def test_validation_is_written_apart() -> None:
    values = Loop(Predictions()).loss(
        "mse_loss", torch.ones(3, 2), torch.zeros(3, 2), purpose=VALIDATION, backward=False
    )
    assert values[PREDICTION_MEAN] == 1.0
