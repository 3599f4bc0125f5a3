"""Which losses are compared with chance."""

import math

import pytest
import torch
from torch import Tensor

from tests.recorder.probes.sampling import VALIDATION, Loop
from traindx.facts import CHANCE_LOSS, INITIAL_LOSS
from traindx.recorder.probes.loss_value import ChanceLoss

CHANCE = torch.Generator().manual_seed(4)


def halves() -> Tensor:
    return torch.tensor([0, 1] * 16)


def test_chance_and_the_first_loss_are_stated() -> None:
    loop = Loop(ChanceLoss())
    prediction = torch.randn(32, 2, generator=CHANCE, requires_grad=True)
    for _ in range(3):
        loop.loss("cross_entropy", prediction, halves())
    first = float(torch.nn.functional.cross_entropy(prediction.detach(), halves()))
    assert loop.facts == pytest.approx({INITIAL_LOSS: first, CHANCE_LOSS: math.log(2)})


def test_the_first_loss_is_that_of_step_one_only() -> None:
    loop = Loop(ChanceLoss())
    loop.step = 7
    loop.loss("cross_entropy", torch.zeros(32, 2), halves())
    assert INITIAL_LOSS not in loop.facts


def test_a_sum_of_losses_is_not_compared() -> None:
    loop = Loop(ChanceLoss())
    loop.step = 1
    loop.loss("mse_loss", torch.zeros(32, 1), torch.ones(32, 1), backward=False)
    loop.step = 0
    loop.loss("cross_entropy", torch.zeros(32, 2), halves())
    assert not loop.facts


def test_of_losses_that_alternate_the_first_is_followed() -> None:
    loop = Loop(ChanceLoss())
    for _ in range(4):
        loop.loss("cross_entropy", torch.zeros(32, 2), halves())
        loop.loss("mse_loss", torch.zeros(64, 1), torch.randn(64, 1, generator=CHANCE) * 100)
    assert loop.facts[CHANCE_LOSS] == pytest.approx(math.log(2))


def test_sentences_of_every_length_are_one_loss() -> None:
    loop = Loop(ChanceLoss())
    for length in range(3, 40):
        loop.loss("cross_entropy", torch.zeros(4, 2, length), torch.arange(4 * length).reshape(4, length) % 2)
    assert loop.facts[CHANCE_LOSS] == pytest.approx(math.log(2), abs=0.01)


def test_memory_is_bounded() -> None:
    probe = ChanceLoss()
    loop = Loop(probe)
    for length in range(3, 60):
        loop.loss("mse_loss", torch.zeros(4, length), torch.zeros(4, length))
    assert len(probe._guesses) == 16


@pytest.mark.parametrize("reduction", ["sum", "none"])
def test_other_reductions_have_no_chance(reduction: str) -> None:
    loop = Loop(ChanceLoss())
    loop.loss(
        "cross_entropy", torch.zeros(64, 2), torch.tensor([0, 1] * 32), options={"reduction": reduction}
    )
    assert CHANCE_LOSS not in loop.facts
    assert (INITIAL_LOSS in loop.facts) == (reduction == "sum")


def test_validation_and_a_loss_that_is_not_finite_state_nothing() -> None:
    loop = Loop(ChanceLoss())
    loop.loss("cross_entropy", torch.zeros(64, 2), torch.tensor([0, 1] * 32), purpose=VALIDATION)
    assert not loop.facts
    broken = Loop(ChanceLoss())
    broken.loss("mse_loss", torch.full((64, 1), torch.nan), torch.ones(64, 1))
    assert INITIAL_LOSS not in broken.facts
