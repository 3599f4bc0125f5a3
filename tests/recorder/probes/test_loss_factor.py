"""The factor between the loss function and the backward pass, against the derivative that torch computes."""

from collections.abc import Callable

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone calls it
from torch import Tensor, nn

from tests.recorder.tensors.training import named
from traindx.facts import LOSS_FACTOR, LOSS_REDUCTION
from traindx.recorder.probes.loss_value import LossFactor
from traindx.recorder.probes.types import LossCall, Purpose
from traindx.run import Fact, Scalar
from traindx.testing.probe import Written

ROWS, CLASSES = 12, 3
Change = Callable[[Tensor, nn.Module], Tensor]


def trained(change: Change, reduction: str | None, *, looks: int = 3) -> tuple[dict[Fact, Scalar], float]:
    """What is stated in a real training, and the derivative of what enters the backward pass by the mean."""
    torch.manual_seed(0)
    model, probe, snapshot = nn.Linear(4, CLASSES), LossFactor(), Written()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    options = {} if reduction is None else {"reduction": reduction}
    derivative = 0.0
    for snapshot.step in range(1, looks + 1):
        prediction, target = model(torch.randn(ROWS, 4)), torch.randint(CLASSES, (ROWS,))
        value = F.cross_entropy(prediction, target, reduction=reduction or "mean")
        call = LossCall("cross_entropy", prediction, target, value, options, Purpose.TRAINING)
        probe.loss_is_computed(snapshot, call)
        loss = change(value, model)
        (slope,) = torch.autograd.grad(loss, value, retain_graph=True)
        derivative = float(slope.sum())
        probe.backward_begins(snapshot, loss, named(model))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return snapshot.facts, derivative


CHANGES: dict[str, tuple[str | None, Change]] = {
    "as it is": (None, lambda value, _: value),
    "negated": ("mean", lambda value, _: -value),
    "subtracted from nothing": ("mean", lambda value, _: 0 - value),
    "divided": ("mean", lambda value, _: value / 4),
    "weighed": ("mean", lambda value, _: 0.5 * value * 3),
    "sum": ("sum", lambda value, _: value),
    "sum over its rows": ("sum", lambda value, _: value / ROWS),
    "each, summed": ("none", lambda value, _: value.sum()),
    "each, averaged": ("none", lambda value, _: value.mean()),
    "each, averaged and negated": ("none", lambda value, _: -value.mean()),
    "in a list": ("mean", lambda value, _: torch.stack([value]).sum()),
}


@pytest.mark.parametrize(("reduction", "change"), CHANGES.values(), ids=CHANGES)
def test_it_is_the_derivative(reduction: str | None, change: Change) -> None:
    facts, derivative = trained(change, reduction)
    assert facts[LOSS_FACTOR] == pytest.approx(derivative, rel=1e-3)
    assert facts[LOSS_REDUCTION] == (reduction or "mean")


def test_one_look_states_no_factor() -> None:
    facts, _ = trained(lambda value, _: -value, "mean", looks=1)
    assert facts == {LOSS_REDUCTION: "mean"}


def test_a_term_that_is_added_is_no_factor() -> None:
    facts, _ = trained(lambda value, model: value + model.weight.square().sum(), "mean")
    assert LOSS_FACTOR not in facts


def test_two_loss_functions_have_no_factor_between_them_and_the_loss() -> None:
    model, probe, snapshot = nn.Linear(4, 2), LossFactor(), Written()
    for snapshot.step in range(1, 4):
        prediction = model(torch.randn(5, 4))
        values = [F.mse_loss(prediction, torch.zeros(5, 2)), F.l1_loss(prediction, torch.zeros(5, 2))]
        for value in values:
            call = LossCall("mse_loss", prediction, torch.zeros(5, 2), value, {}, Purpose.TRAINING)
            probe.loss_is_computed(snapshot, call)
        probe.backward_begins(snapshot, values[0] + values[1], named(model))
    assert LOSS_FACTOR not in snapshot.facts
    # One that is only looked at leads nowhere.
    for snapshot.step in range(4, 7):
        prediction = model(torch.randn(5, 4))
        values = [F.mse_loss(prediction, torch.zeros(5, 2)), F.l1_loss(prediction, torch.zeros(5, 2))]
        for value in values:
            call = LossCall("mse_loss", prediction, torch.zeros(5, 2), value, {}, Purpose.TRAINING)
            probe.loss_is_computed(snapshot, call)
        probe.backward_begins(snapshot, values[0] * 2, named(model))
    assert snapshot.facts[LOSS_FACTOR] == 2.0


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({}, "mean"),
        ({"reduction": "batchmean"}, "mean"),
        ({"reduction": "sum_over_batch_size"}, "mean"),
        ({"reduction": "mean_with_sample_weight"}, "mean"),
        ({"reduction": None}, "none"),
        ({"reduction": "sum"}, "sum"),
        ({"size_average": False}, "sum"),
        ({"reduce": False}, "none"),
    ],
)
def test_words_of_torch_and_keras(options: dict[str, object], word: str) -> None:
    snapshot, ones = Written(), torch.ones(3)
    LossFactor().loss_is_computed(snapshot, LossCall("mse_loss", ones, ones, ones, options, Purpose.TRAINING))
    assert snapshot.facts == {LOSS_REDUCTION: word}


def test_validation_states_nothing() -> None:
    snapshot, ones = Written(), torch.ones(3)
    LossFactor().loss_is_computed(snapshot, LossCall("mse_loss", ones, ones, ones, {}, Purpose.VALIDATION))
    assert not snapshot.facts
