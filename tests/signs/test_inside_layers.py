"""Signs that look at the layers of a training: how they begin, and what passes through them."""

from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.optim import Adam

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
    fitting,
    fitting_times,
    numbers,
    rate,
    recorded,
    scaled,
    stack,
)
from traindx.finding import CannotTell

DEEP = partial(stack, FEATURES, *[12] * 9, CLASSES)


class Remembers(nn.Module):
    """A recurrent network that reads the features of a row one after another."""

    def __init__(self, cells: type[nn.RNNBase] = nn.LSTM) -> None:
        super().__init__()
        self.reads = cells(1, 8, batch_first=True)
        self.leaves = nn.Linear(8, CLASSES)

    def forward(self, rows: Tensor) -> Tensor:
        return self.leaves(self.reads(rows[:, :, None])[0][:, -1])


def sharply_attending(net: nn.Module) -> None:
    with torch.no_grad():
        net.attention.in_proj_weight *= 30


def small_then_large(net: nn.Module) -> None:
    fitting(net)
    weights = [value for value in net.parameters() if value.dim() > 1]
    with torch.no_grad():
        for value in weights[:5]:
            value.mul_(0.2)
        for value in weights[5:]:
            value.mul_(3)


def all_alike(net: nn.Module) -> None:
    for value in net.parameters():
        nn.init.constant_(value, 0.1)


def last_at_zero(net: nn.Module) -> None:
    nn.init.zeros_(net[4].weight)


def large_numbers() -> Data:
    data = numbers()
    return replace(data, targets=1000 * data.targets, held_targets=1000 * data.held_targets)


CASES = (
    # How weights begin.
    Case(
        "weights_start_far_off",
        replace(CLASSIFIES, begins=scaled(30)),
        replace(CLASSIFIES, begins=fitting),
        layer="4.weight",
    ),
    Case("weights_start_tiny", replace(CLASSIFIES, begins=scaled(0.001)), CLASSIFIES),
    Case("weights_start_equal", replace(CLASSIFIES, begins=all_alike), CLASSIFIES, layer="0.weight"),
    Case(
        "activations_fade_over_depth",
        replace(CLASSIFIES, net=DEEP, begins=fitting_times(0.4)),
        replace(CLASSIFIES, net=DEEP, begins=fitting),
        layer="17",
    ),
    Case(
        "activations_swell_over_depth",
        replace(CLASSIFIES, net=DEEP, begins=fitting_times(3)),
        replace(CLASSIFIES, net=DEEP, begins=fitting),
        layer="17",
    ),
    Case(
        "gradient_fades_over_depth",
        replace(CLASSIFIES, net=partial(DEEP, bend=nn.Sigmoid)),
        replace(CLASSIFIES, net=DEEP, begins=fitting),
    ),
    Case(
        "gradient_swells_over_depth",
        # At a rate so low that what is looked at is how the model begins.
        replace(CLASSIFIES, net=DEEP, begins=small_then_large, optimizer=rate(1e-5)),
        replace(CLASSIFIES, net=DEEP, begins=fitting),
    ),
    Case("gradient_starts_huge", replace(PREDICTS, data=large_numbers, optimizer=rate(1e-7)), PREDICTS),
    Case(
        "model_is_deep_and_plain",
        replace(CLASSIFIES, net=DEEP),
        replace(CLASSIFIES, net=partial(DEEP, bend=lambda: nn.Sequential(nn.LayerNorm(12), nn.ReLU()))),
    ),
    Case("model_is_recurrent", replace(CLASSIFIES, net=Remembers), CLASSIFIES),
    Case(
        "recurrent_without_gates",
        replace(CLASSIFIES, net=partial(Remembers, cells=nn.RNN)),
        replace(CLASSIFIES, net=Remembers),
    ),
    Case(
        "sigmoids_stacked",
        replace(CLASSIFIES, net=partial(stack, FEATURES, 16, 16, CLASSES, bend=nn.Sigmoid)),
        replace(CLASSIFIES, net=partial(stack, FEATURES, 16, 16, CLASSES, bend=nn.Tanh)),
        layer="1",
    ),
    Case(
        "bottleneck_narrow", replace(CLASSIFIES, net=partial(stack, FEATURES, 16, 2, 16, CLASSES)), CLASSIFIES
    ),
    Case(
        "nonlinearity_missing",
        replace(CLASSIFIES, net=partial(stack, FEATURES, 16, CLASSES, bend=nn.Identity)),
        CLASSIFIES,
    ),
    Case(
        "linear_in_a_row",
        replace(
            CLASSIFIES,
            net=lambda: nn.Sequential(
                nn.Linear(FEATURES, 16), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, CLASSES)
            ),
        ),
        CLASSIFIES,
    ),
    # Units.
    Case("dead_units_many", replace(CLASSIFIES, begins=scaled(1, biases=-9)), CLASSIFIES, layer="1"),
    Case("units_die", replace(CLASSIFIES, optimizer=rate(8)), CLASSIFIES),
    Case(
        "units_saturate",
        replace(CLASSIFIES, net=partial(stack, FEATURES, 16, CLASSES, bend=nn.Tanh), optimizer=rate(20)),
        replace(CLASSIFIES, net=partial(stack, FEATURES, 16, CLASSES, bend=nn.Tanh)),
        layer="1",
    ),
    Case(
        "attention_scores_grow",
        replace(CLASSIFIES, net=Attends, begins=sharply_attending, optimizer=partial(Adam, lr=0.003)),
        replace(CLASSIFIES, net=Attends, optimizer=partial(Adam, lr=0.003)),
        layer="attention",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_a_sign_tells_a_broken_training_from_its_repaired_twin(case: Case) -> None:
    assert faults(case) == []


LINEAR = replace(CLASSIFIES, net=partial(stack, FEATURES, CLASSES))
"""A logistic regression, which is meant to be linear."""
LAST_AT_ZERO = replace(CLASSIFIES, begins=last_at_zero)
SPARSE = replace(CLASSIFIES, net=partial(stack, FEATURES, 32, CLASSES), begins=scaled(2, biases=-1.5))
"""Hidden units that rest for most rows, and fire for some."""
SURE = replace(
    CLASSIFIES,
    data=lambda: clusters(kinds=2, apart=6),
    net=partial(stack, FEATURES, 16, 2, last=nn.Sigmoid()),
    loss=lambda outputs, targets: nn.functional.binary_cross_entropy(
        outputs, nn.functional.one_hot(targets).float()
    ),
    optimizer=rate(0.5),
)
"""Answers of yes and no that are certain, and right."""


@pytest.mark.parametrize(
    ("slug", "healthy"),
    [
        ("nonlinearity_missing", LINEAR),
        ("linear_in_a_row", LINEAR),
        ("bottleneck_narrow", replace(CLASSIFIES, net=partial(stack, FEATURES, 16, CLASSES))),
        ("weights_start_tiny", replace(LINEAR, begins=scaled(0))),
        ("weights_start_tiny", LAST_AT_ZERO),
        ("weights_start_equal", LAST_AT_ZERO),
        ("dead_units_many", SPARSE),
        ("gradient_fades_over_depth", replace(CLASSIFIES, net=DEEP)),
        ("model_is_deep_and_plain", CLASSIFIES),
    ],
)
def test_what_looks_alike_and_is_meant_is_no_sign(slug: str, healthy: Training) -> None:
    assert sign_named(slug)(recorded(healthy)) is None


def test_an_output_that_is_sure_is_not_saturated() -> None:
    assert sign_named("units_saturate")(recorded(SURE)) is CannotTell.TOO_LITTLE
