"""Loops that clear their gradients and loops that do not."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from tests.recorder.tensors.training import Training
from traindx.facts import GRADIENTS_CLEARED
from traindx.recorder.probes.gradients import ZeroGrad


def training(lr: float = 0.01) -> tuple[Training, nn.Module]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    return Training(ZeroGrad(), model, torch.optim.SGD(model.parameters(), lr=lr)), model


def stated(loop: Training, model: nn.Module, *, clear: bool = True, backwards: int = 1) -> object:
    """What is stated about one step."""
    snapshot = loop.snapshot(
        lambda: model(torch.randn(8, 3)).square().mean(), clear=clear, backwards=backwards
    )
    return snapshot.facts.get(GRADIENTS_CLEARED)


def test_the_first_look_cannot_tell() -> None:
    assert stated(*training()) is None


@pytest.mark.parametrize("backwards", [1, 3])
def test_a_loop_that_clears_is_told_from_one_that_does_not(backwards: int) -> None:
    for clear in (True, False):
        loop, model = training()
        facts = [stated(loop, model, clear=clear, backwards=backwards) for _ in range(4)]
        assert facts == [None, float(clear), None, None]


@pytest.mark.parametrize("way", ["zero", "data", "none"])
def test_every_way_to_clear_counts(way: str) -> None:
    loop, model = training()
    stated(loop, model)
    for parameter in model.parameters():
        if way == "none":
            parameter.grad = None
        else:
            (parameter.grad if way == "zero" else parameter.grad.data).zero_()
    assert stated(loop, model, clear=False) == 1.0


def test_the_share_is_that_of_the_steps_looked_at() -> None:
    loop, model = training()
    facts = [stated(loop, model, clear=clear) for clear in (True, True, False, False, True)]
    assert facts == [None, 1.0, 0.5, 1 / 3, 0.5]


def test_parameters_without_gradient_are_no_witnesses() -> None:
    loop, model = training()
    unused = nn.Parameter(torch.zeros(1))
    model.register_parameter("unused", unused)
    unused.grad = torch.zeros(1)
    assert [stated(loop, model, clear=False) for _ in range(3)] == [None, 0.0, None]


def test_each_optimizer_is_judged_by_its_own_parameters() -> None:
    torch.manual_seed(0)
    probe = ZeroGrad()
    maker, judge = nn.Linear(2, 3), nn.Linear(3, 1)
    loops = {
        name: Training(probe, model, torch.optim.SGD(model.parameters(), lr=0.01))
        for name, model in (("maker", maker), ("judge", judge))
    }
    facts: list[object] = []

    def made() -> Tensor:
        return judge(maker(torch.ones(4, 2)))

    for _ in range(4):
        # The maker's loss leaves gradients in the judge, which clears them before its own.
        facts.append(loops["maker"].snapshot(lambda: made().mean()).facts.get(GRADIENTS_CLEARED))
        facts.append(loops["judge"].snapshot(lambda: made().square().mean()).facts.get(GRADIENTS_CLEARED))
    assert facts == [None, None, 1.0, None, None, None, None, None]
