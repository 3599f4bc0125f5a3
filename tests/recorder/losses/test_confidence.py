"""The share of answers that are wrong and sure, by hand."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from traindx.recorder.losses.answers import answers_of
from traindx.recorder.losses.confidence import confidently_wrong_share
from traindx.recorder.probes.types import LossCall, Purpose

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
