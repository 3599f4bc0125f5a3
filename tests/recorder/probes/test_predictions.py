"""Predictions against plain arithmetic."""

import statistics

import pytest
import torch

from tests.recorder.probes.looking import VALIDATION, Loop
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
from traindx.recorder.probes.predictions import Predictions

CHANCE = torch.Generator().manual_seed(8)


def test_scores_are_described_over_the_batch() -> None:
    prediction = torch.randn(30, 4, generator=CHANCE) + torch.tensor([0.0, 5.0, -5.0, 2.0])
    found = Loop(Predictions()).loss("cross_entropy", prediction, torch.zeros(30, dtype=torch.int64))
    rows = prediction.double().tolist()
    values = [value for row in rows for value in row]
    chosen = [row.index(max(row)) for row in rows]
    chances = prediction.double().softmax(1).tolist()
    wrong = [row[0] < 0.1 and max(row) > 0.5 for row in chances]
    variances = [statistics.pvariance(column) for column in zip(*rows, strict=True)]
    assert found == pytest.approx(
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
    found = Loop(Predictions()).loss("cross_entropy", prediction, torch.zeros(16, dtype=torch.int64))
    assert found[PREDICTION_STD] == pytest.approx(0.0, abs=1e-12)
    assert found[COMMONEST_PREDICTION_SHARE] == 1.0
    assert found[PREDICTED_CLASSES] == 1.0


def test_numbers_have_no_classes() -> None:
    prediction = torch.randn(16, 1, generator=CHANCE)
    found = Loop(Predictions()).loss("mse_loss", prediction, torch.zeros(16, 1))
    assert found[PREDICTION_STD] == pytest.approx(float(prediction.double().std(correction=0)))
    assert PREDICTED_CLASSES not in found


def test_a_single_row_has_no_spread() -> None:
    found = Loop(Predictions()).loss("mse_loss", torch.ones(1, 3), torch.zeros(1, 3))
    assert PREDICTION_STD not in found
    assert found[PREDICTION_MEAN] == 1.0


def test_values_that_are_not_finite_are_counted_and_left_out() -> None:
    prediction = torch.tensor([[1.0, 2.0], [torch.nan, 4.0], [torch.inf, 6.0]])
    found = Loop(Predictions()).loss("mse_loss", prediction, torch.zeros(3, 2))
    assert found[PREDICTION_NONFINITE_SHARE] == pytest.approx(2 / 6)
    assert found[PREDICTION_MAX] == 6.0
    assert found[PREDICTION_MEAN] == pytest.approx(13 / 4)
    empty = Loop(Predictions()).loss("mse_loss", torch.full((3, 2), torch.nan), torch.zeros(3, 2))
    assert empty == {PREDICTION_NONFINITE_SHARE: 1.0}


def test_validation_is_written_apart() -> None:
    found = Loop(Predictions()).loss(
        "mse_loss", torch.ones(3, 2), torch.zeros(3, 2), purpose=VALIDATION, backward=False
    )
    assert found[PREDICTION_MEAN] == 1.0
