"""Signs that look at the steps of a training: what reaches the optimizer, and what it makes of it."""

from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.optim import Adam, AdamW, Rprop
from torch.optim.lr_scheduler import ReduceLROnPlateau

from tests.signs.inside import Case, faults, sign_named
from tests.trainings import (
    CLASSES,
    CLASSIFIES,
    FEATURES,
    PREDICTS,
    Attends,
    Data,
    Training,
    clusters,
    numbers,
    place,
    rate,
    recorded,
    scaled,
    stack,
)
from traindx.finding import Finding

MADE = place("optimizer = training.optimizer(training.given(net))")


class Cut(nn.Module):
    """A model whose first part the loss does not reach, or does."""

    def __init__(self, *, cut: bool) -> None:
        super().__init__()
        self.first, self.last, self.cut = nn.Linear(FEATURES, 12), nn.Linear(12, CLASSES), cut

    def forward(self, rows: Tensor) -> Tensor:
        hidden = self.first(rows).relu()
        return self.last(hidden.detach() if self.cut else hidden)


class Between(nn.Module):
    """A model whose middle layer is created in each pass, or once."""

    def __init__(self, *, made_anew: bool) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(FEATURES, 12), nn.Linear(12, CLASSES)
        self.middle = nn.Linear(12, 12)
        self.made_anew = made_anew

    def between(self) -> nn.Module:
        return nn.Linear(12, 12) if self.made_anew else self.middle

    def forward(self, rows: Tensor) -> Tensor:
        hidden = self.first(rows).relu()
        return self.last(self.between()(hidden))


class Remembers(nn.Module):
    """Rows read as short sequences by a layer that expects the batch first, or does not."""

    def __init__(self, *, batch_first: bool) -> None:
        super().__init__()
        self.memory = nn.GRU(2, 12, batch_first=batch_first)
        self.last = nn.Linear(12, CLASSES)

    def forward(self, rows: Tensor) -> Tensor:
        return self.last(self.memory(rows.unflatten(1, (-1, 2)))[0][:, -1])


def last_layers(net: nn.Module) -> list[Tensor]:
    return list(net.parameters())[2:]


def first_layers(net: nn.Module) -> list[Tensor]:
    return list(net.parameters())[:4]


def with_strangers(net: nn.Module) -> list[Tensor]:
    return [*net.parameters(), *stack(FEATURES, 16, CLASSES).parameters()]


def frozen_in_the_middle(net: nn.Module) -> None:
    net[2].requires_grad_(False)


def frozen_once_learned(net: nn.Module) -> None:
    """As a layer is that was trained elsewhere: some of its weights have grown."""
    with torch.no_grad():
        net[2].weight[:4] *= 3
    frozen_in_the_middle(net)


def frozen_first(net: nn.Module) -> None:
    net[0].requires_grad_(False)


def last_at_zero(net: nn.Module) -> None:
    nn.init.zeros_(net[4].weight)


def straight_line() -> Data:
    """Numbers that a single linear layer gives exactly, so that its loss is a bowl."""
    data = numbers()
    return replace(data, targets=data.inputs.sum(1, True), held_targets=data.held.sum(1, True))


def noisy() -> Data:
    return numbers(noise=3.0)


def guesswork() -> Data:
    """Many classes that have nothing to do with the inputs: gradients of two batches are strangers."""
    drawn, data = torch.Generator().manual_seed(1), clusters()
    targets = torch.randint(0, 30, (len(data.targets) + len(data.held),), generator=drawn)
    return replace(data, targets=targets[len(data.held) :], held_targets=targets[: len(data.held)])


GUESSES = partial(stack, FEATURES, 16, 16, 30)

WHOLE = replace(
    PREDICTS, data=straight_line, net=partial(stack, FEATURES, 1), batch=240, optimizer=rate(0.05, 0.0)
)

CASES = (
    # What reaches the layers.
    Case(
        "gradient_never_arrives",
        replace(CLASSIFIES, net=partial(Cut, cut=True)),
        replace(CLASSIFIES, net=partial(Cut, cut=False)),
    ),
    Case("parameters_frozen", replace(CLASSIFIES, begins=frozen_in_the_middle), CLASSIFIES),
    Case(
        "frozen_at_initialization",
        replace(CLASSIFIES, begins=frozen_in_the_middle),
        replace(CLASSIFIES, begins=frozen_once_learned),
    ),
    Case("nothing_learned", replace(CLASSIFIES, optimizer=rate(1e-6), begins=scaled(0.01)), CLASSIFIES),
    Case("lr_below_typical", replace(CLASSIFIES, optimizer=rate(1e-5)), CLASSIFIES, place=MADE),
    Case("lr_above_typical", replace(CLASSIFIES, optimizer=rate(5)), CLASSIFIES, place=MADE),
    Case("few_steps_in_all", replace(CLASSIFIES, steps=30), replace(CLASSIFIES, steps=200)),
    Case(
        "weights_made_anew",
        replace(CLASSIFIES, net=partial(Between, made_anew=True)),
        replace(CLASSIFIES, net=partial(Between, made_anew=False)),
        place=place("return self.last(self.between()(hidden))", __file__),
    ),
    Case(
        "samples_mixed",
        replace(CLASSIFIES, net=partial(Remembers, batch_first=False)),
        replace(CLASSIFIES, net=partial(Remembers, batch_first=True)),
        place=place("self.memory = nn.GRU(2, 12, batch_first=batch_first)", __file__),
    ),
    Case(
        "plateau_mode_reversed",
        replace(CLASSIFIES, schedule=partial(ReduceLROnPlateau, mode="max", patience=0)),
        replace(CLASSIFIES, schedule=partial(ReduceLROnPlateau, mode="min", patience=0)),
    ),
    Case("parameters_unoptimized", replace(CLASSIFIES, given=first_layers), CLASSIFIES, place=MADE),
    Case("optimizer_has_stale_parameters", replace(CLASSIFIES, given=with_strangers), CLASSIFIES, place=MADE),
    Case(
        "gradients_carried_over",
        replace(CLASSIFIES, clears=False, optimizer=rate(0.001)),
        CLASSIFIES,
        place=place("optimizer.step()"),
    ),
    Case(
        "accumulation_undivided",
        replace(CLASSIFIES, accumulates=4, steps=30),
        replace(CLASSIFIES, accumulates=4, steps=30, divides=4),
        place=place("(loss / training.divides).backward()"),
    ),
    # Steps.
    Case("updates_large", replace(CLASSIFIES, optimizer=rate(5)), CLASSIFIES),
    Case("updates_tiny", replace(CLASSIFIES, optimizer=rate(1e-5)), CLASSIFIES),
    Case("gradients_agree", WHOLE, replace(WHOLE, data=noisy, batch=4)),
    Case("gradients_oscillate", replace(WHOLE, optimizer=rate(0.6, 0.0)), WHOLE),
    Case(
        "noise_scale_above_batch",
        replace(CLASSIFIES, data=guesswork, net=GUESSES, batch=1, steps=120),
        replace(CLASSIFIES, batch=120),
    ),
    Case("noise_scale_below_batch", WHOLE, replace(PREDICTS, data=noisy, batch=8)),
    Case("weights_shrink", replace(CLASSIFIES, optimizer=rate(0.1, 0.0, decay=0.5)), CLASSIFIES),
    Case("decay_strong", replace(CLASSIFIES, optimizer=rate(0.1, 0.0, decay=0.5)), CLASSIFIES, place=MADE),
    Case(
        "l2_inside_adam",
        replace(CLASSIFIES, optimizer=partial(Adam, lr=0.003, weight_decay=0.1)),
        replace(CLASSIFIES, optimizer=partial(AdamW, lr=0.003, weight_decay=0.1)),
        place=MADE,
    ),
    Case("momentum_extreme", replace(CLASSIFIES, optimizer=rate(0.001, 0.99)), CLASSIFIES, place=MADE),
    Case(
        "optimizer_ill_fitting",
        replace(CLASSIFIES, optimizer=partial(Rprop, lr=0.001)),
        replace(CLASSIFIES, optimizer=partial(Rprop, lr=0.001), batch=240, steps=30),
        place=MADE,
    ),
    Case("optimizer_ill_fitting", replace(CLASSIFIES, net=Attends), CLASSIFIES),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_a_sign_tells_a_broken_training_from_its_repaired_twin(case: Case) -> None:
    assert faults(case) == []


def test_frozen_first_layers_may_be_meant() -> None:
    """A backbone is frozen every day, or only the last layers are given to the optimizer."""
    frozen = sign_named("parameters_frozen")(recorded(replace(CLASSIFIES, begins=frozen_first)))
    unheld = sign_named("parameters_unoptimized")(recorded(replace(CLASSIFIES, given=last_layers)))
    for answer in (frozen, unheld):
        assert isinstance(answer, Finding)
        assert answer.strength == 0.5
        assert "0.weight" in answer.says


@pytest.mark.parametrize(
    ("slug", "healthy"),
    [
        ("updates_large", replace(CLASSIFIES, begins=last_at_zero)),
        ("decay_strong", replace(CLASSIFIES, optimizer=rate(0.05, 0.9, decay=5e-4))),
        ("l2_inside_adam", replace(CLASSIFIES, optimizer=partial(Adam, lr=0.003, weight_decay=1e-5))),
        ("accumulation_undivided", CLASSIFIES),
    ],
)
def test_what_looks_alike_and_is_meant_is_no_sign(slug: str, healthy: Training) -> None:
    assert sign_named(slug)(recorded(healthy)) is None
