"""A rate for a loop in hand: it trains, it is refused where none can, and nothing is left behind."""

import random
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import SGD, Adam, AdamW, Optimizer

import traindx
from traindx.errors import TraindxError
from traindx.exams.learning_rate.loop import find_rate
from traindx.exams.learning_rate.types import FoundRate

Batch = tuple[Tensor, Tensor]
Made = Callable[[nn.Module], Optimizer]
STEPS = 160


def batches(count: int = 60, *, shuffled: bool = False) -> list[Batch]:
    """Three clouds of points; with `shuffled`, labels that have nothing to do with them."""
    generator = torch.Generator().manual_seed(5)
    centers = torch.randn(3, 6, generator=generator) * 2
    drawn = []
    for _ in range(count):
        labels = torch.randint(3, (24,), generator=generator)
        x = centers[labels] + torch.randn(24, 6, generator=generator)
        drawn.append((x, labels[torch.randperm(24, generator=generator)] if shuffled else labels))
    return drawn


def net() -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))


def plain_net() -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))


def train(model: nn.Module, optimizer: Optimizer, steps: int = 40) -> float:
    losses = []
    for x, y in batches(steps):
        optimizer.zero_grad()
        loss = cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return float(np.mean(losses[-10:]))


def searched(rate: float, optimizer: Callable[..., Optimizer] = SGD) -> FoundRate:
    model = plain_net()
    return find_rate(model, optimizer(model.parameters(), lr=rate), batches(), cross_entropy, steps=STEPS)


def everything(model: nn.Module, optimizer: Optimizer) -> list[object]:
    """All that a search might leave changed, as plain values."""
    held: list[object] = [[(name, value.tolist()) for name, value in model.state_dict().items()]]
    held.append(
        [None if parameter.grad is None else parameter.grad.tolist() for parameter in model.parameters()]
    )
    held.append([module.training for module in model.modules()])
    held.append(str(optimizer.state_dict()))
    held += [random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()]
    return held


@pytest.mark.parametrize("warmed", [False, True])
def test_everything_is_as_it_was_bit_for_bit(warmed: bool) -> None:
    model = net()
    optimizer = AdamW(model.parameters(), lr=1e-3)
    if warmed:
        train(model, optimizer, 3)
    model[3].eval()
    before = everything(model, optimizer)
    parts = [id(parameter) for parameter in model.parameters()]
    moments = [id(value) for state in optimizer.state.values() for value in state.values()]
    loader = torch.utils.data.DataLoader(batches(), batch_size=None, shuffle=True)
    assert find_rate(model, optimizer, loader, cross_entropy, steps=STEPS).suggested is not None
    assert everything(model, optimizer) == before
    assert [id(parameter) for parameter in model.parameters()] == parts
    assert [id(value) for state in optimizer.state.values() for value in state.values()] == moments


def test_a_training_goes_on_as_if_nothing_had_happened() -> None:
    ends = []
    for asks in (False, True):
        model = net()
        optimizer = Adam(model.parameters(), lr=1e-3)
        train(model, optimizer, 5)
        if asks:
            find_rate(model, optimizer, batches(), cross_entropy, steps=STEPS)
        train(model, optimizer, 5)
        ends.append([value.tolist() for value in model.state_dict().values()])
    assert ends[0] == ends[1]


def test_everything_is_as_it_was_where_the_loss_breaks() -> None:
    model = net()
    optimizer = Adam(model.parameters(), lr=1e-3)
    before = everything(model, optimizer)
    calls = []

    def breaking(outputs: Tensor, targets: Tensor) -> Tensor:
        calls.append(1)
        if len(calls) == 30:
            raise ArithmeticError("out of paper")
        return cross_entropy(outputs, targets)

    with pytest.raises(ArithmeticError):
        find_rate(model, optimizer, batches(), breaking, steps=STEPS)
    assert everything(model, optimizer) == before


@pytest.mark.parametrize("rate", [1e-6, 3e-4, 300.0])
def test_a_rate_is_found_from_far_away(rate: float) -> None:
    result = searched(rate)
    assert result.suggested is not None
    assert result.usable is not None
    assert result.usable[0] <= result.suggested <= result.usable[1]
    model, other = plain_net(), plain_net()
    better = train(model, SGD(model.parameters(), lr=result.suggested))
    assert better < 0.5 * train(other, SGD(other.parameters(), lr=1e-6))
    assert result.steps <= STEPS
    assert result.at(result.current) is not None


def test_a_rate_that_is_fine_is_kept() -> None:
    first = searched(1e-5, Adam)
    assert first.suggested is not None
    again = searched(first.suggested, Adam)
    assert again.suggested == again.current == first.suggested
    assert "the current learning rate" in again.why


def test_rates_that_run_away_are_told() -> None:
    result = searched(0.1)
    assert result.diverges is not None
    assert result.usable is not None
    assert result.diverges > result.usable[1]


class Detached(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inside, self.idle = plain_net(), nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return self.inside(x).detach() + 0 * self.idle


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("shuffled", "ignores the input"),
        ("frozen", "the loss is identical"),
        ("detached", "the loss is identical"),
        ("nan", "NaN or infinite at step 1"),
    ],
)
def test_where_no_rate_trains_none_is_suggested(kind: str, says: str) -> None:
    model = Detached() if kind == "detached" else plain_net()
    # Far from the shares of the classes, so that there is something to learn besides the inputs.
    with torch.no_grad():
        list(model.parameters())[-1].copy_(torch.tensor([2.0, 0.0, -2.0]))
    model.requires_grad_(kind != "frozen")
    data = batches(80, shuffled=kind == "shuffled")
    if kind == "nan":
        data = [(x * float("nan"), y) for x, y in data]
    result = find_rate(model, SGD(model.parameters(), lr=0.01), data, cross_entropy)
    assert result.suggested is None
    assert result.usable is None
    assert says in result.why


def test_groups_keep_the_ratio_of_their_rates_and_get_them_back() -> None:
    model = plain_net()
    first, *others = model.parameters()
    optimizer = Adam([{"params": [first], "lr": 0.02}, {"params": others, "lr": 0.005}])
    rates = []
    hook = optimizer.register_step_pre_hook(
        lambda arguments, *_: rates.append([group["lr"] for group in arguments.param_groups])
    )
    result = find_rate(model, optimizer, batches(), cross_entropy, steps=STEPS)
    hook.remove()
    assert len(rates) == result.steps
    assert len({round(pair / other, 6) for pair, other in rates}) == 1
    assert [group["lr"] for group in optimizer.param_groups] == [0.02, 0.005]


@pytest.mark.parametrize(
    ("data", "rate", "steps", "says"),
    [
        ([], 0.1, 300, "no batches"),
        (batches(2), 0.0, 300, "is 0"),
        (batches(2), 0.1, 20, "steps must be 100 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(data: list[Batch], rate: float, steps: int, says: str) -> None:
    model = plain_net()
    with pytest.raises(TraindxError, match=says):
        find_rate(model, SGD(model.parameters(), lr=rate), data, cross_entropy, steps=steps)


def test_inputs_may_be_several() -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inside = plain_net()

        def forward(self, left: Tensor, right: Tensor) -> Tensor:
            return self.inside(torch.cat([left, right], 1))

    model = Two()
    data = [((x[:, :2], x[:, 2:]), y) for x, y in batches()]
    optimizer = SGD(model.parameters(), lr=0.01)
    assert traindx.find_rate(model, optimizer, data, cross_entropy, steps=STEPS).suggested is not None
    named = [({"left": x[:, :2], "right": x[:, 2:]}, y) for x, y in batches()]
    assert traindx.find_rate(model, optimizer, named, cross_entropy, steps=STEPS).suggested is not None
