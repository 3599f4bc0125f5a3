"""What is added to the loss for the weights alone."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.facts import PENALTY_SHARE
from traindx.recorder.probes.penalty import Penalty
from traindx.recorder.probes.types import LossCall, Purpose
from traindx.testing.probe import Written

ROWS, TARGETS = torch.randn(8, 4), torch.randint(0, 3, (8,))


def share(net: nn.Module, added: Tensor, divided: float = 1.0) -> float | None:
    """What the probe states of a cross-entropy with something added."""
    probe, snapshot, scores = Penalty(), Written(1), net(ROWS)
    value = functional.cross_entropy(scores, TARGETS)
    probe.loss_is_computed(snapshot, LossCall("cross_entropy", scores, TARGETS, value, {}, Purpose.TRAINING))
    probe.backward_begins(snapshot, (value + added) / divided, [])
    stated = snapshot.facts.get(PENALTY_SHARE)
    return stated if isinstance(stated, float) else None


def test_a_norm_of_the_weights_is_a_penalty() -> None:
    net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))
    value = functional.cross_entropy(net(ROWS), TARGETS).item()
    for added in (
        0.5 * sum(weight.abs().sum() for weight in net.parameters()),
        2 * sum(weight.pow(2).sum() for weight in net.parameters()),
        torch.cat([weight.flatten() for weight in net.parameters()]).norm(),
        torch.stack([weight.square().mean() for weight in net.parameters()]).sum(),
    ):
        assert share(net, added) == pytest.approx(added.item() / (value + added.item()), rel=1e-4)


def test_a_loss_that_is_divided_has_the_same_share() -> None:
    net = nn.Linear(4, 3)
    penalty = net.weight.abs().sum()
    assert share(net, penalty, divided=4) == pytest.approx(share(net, penalty))


def test_what_meets_data_is_no_penalty() -> None:
    net = nn.Linear(4, 3)
    assert share(net, net(ROWS).square().mean()) is None
    assert share(net, net(ROWS).square().mean() + net.weight.abs().sum()) is None
    assert share(net, torch.tensor(2.0)) is None
