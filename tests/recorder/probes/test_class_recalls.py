"""The mean over classes of what is found, against a count by hand."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from tests.recorder.probes.sampling import VALIDATION, Loop
from traindx.quantities import PREDICTION_RECALL
from traindx.recorder.probes.predictions import ClassRecalls


def told(classes: list[int], count: int = 3) -> Tensor:
    return (5.0 * one_hot(torch.tensor(classes), count)).requires_grad_()


def test_a_rare_class_counts_as_much_as_a_common_one() -> None:
    right = torch.tensor([0] * 16 + [1] * 4)
    values = Loop(ClassRecalls()).loss("cross_entropy", told([0] * 20), right)
    assert values[PREDICTION_RECALL] == pytest.approx(0.5)


def test_batches_add_up_and_fade() -> None:
    loop = Loop(ClassRecalls())
    first = loop.loss("cross_entropy", told([0, 0, 1, 1]), torch.tensor([0, 0, 1, 1]))
    second = loop.loss("cross_entropy", told([0, 0, 0, 0]), torch.tensor([0, 0, 1, 1]))
    assert first[PREDICTION_RECALL] == pytest.approx(1)
    assert second[PREDICTION_RECALL] == pytest.approx((1 + 1.4 / 3.4) / 2)


def test_validation_is_counted_apart() -> None:
    loop = Loop(ClassRecalls())
    loop.loss("cross_entropy", told([0, 0, 1, 1]), torch.tensor([0, 0, 1, 1]))
    held = loop.loss("cross_entropy", told([0] * 4), torch.tensor([0, 0, 1, 1]), purpose=VALIDATION)
    assert held[PREDICTION_RECALL] == pytest.approx(0.5)


@pytest.mark.parametrize("right", [[0, 0, 0, 0], [0, 0, 0, 1]])
def test_one_class_has_no_mean(right: list[int]) -> None:
    assert PREDICTION_RECALL not in Loop(ClassRecalls()).loss(
        "cross_entropy", told([0] * 4), torch.tensor(right)
    )


def test_numbers_have_no_classes() -> None:
    loop = Loop(ClassRecalls())
    assert PREDICTION_RECALL not in loop.loss(
        "mse_loss", torch.rand(4, 1, requires_grad=True), torch.rand(4, 1)
    )
