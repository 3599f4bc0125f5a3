"""The best constant guess against gradient descent on torch's own loss functions."""

from collections.abc import Mapping

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from traindx.recorder.losses.answers import answers_of
from traindx.recorder.losses.constant_guess import guess_for
from traindx.recorder.probes.types import LossCall, Purpose

CHANCE = torch.Generator().manual_seed(2)
NOTHING: Mapping[str, object] = {}
WEIGHTS = torch.tensor([0.2, 1.0, 3.0, 0.7])


def learned(function: str, shape: tuple[int, ...], target: Tensor, options: Mapping[str, object]) -> float:
    """The lowest loss of predictions that are the same for every row, found by descent."""
    guess = torch.zeros(1, *shape[1:], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([guess], max_iter=400, line_search_fn="strong_wolfe")
    loss = getattr(functional, function)

    def closure() -> Tensor:
        optimizer.zero_grad()
        value = loss(guess.expand(shape), target, **options)
        value.backward()
        return value

    optimizer.step(closure)
    with torch.no_grad():
        return float(loss(guess.expand(shape), target, **options))


def told(
    function: str, shape: tuple[int, ...], target: Tensor, options: Mapping[str, object]
) -> float | None:
    """What is told after the targets were seen in four batches."""
    guess = None
    for part in target.chunk(4):
        prediction = torch.zeros(len(part), *shape[1:])
        call = LossCall(function, prediction, part, torch.tensor(0.0), options, Purpose.TRAINING)
        answers = answers_of(call)
        assert answers is not None
        guess = guess or guess_for(answers)
        assert guess is not None
        guess.add(answers)
    return guess.loss(options) if guess is not None else None


def classes(*shape: int) -> Tensor:
    shares = torch.tensor([0.5, 0.3, 0.15, 0.05])
    count = torch.Size(shape).numel()
    return shares.multinomial(count, replacement=True, generator=CHANCE).reshape(shape)


def shares(rows: int) -> Tensor:
    return torch.rand(rows, 4, generator=CHANCE, dtype=torch.float64).softmax(1)


CASES: dict[str, tuple[str, tuple[int, ...], Tensor, Mapping[str, object]]] = {
    "classes": ("cross_entropy", (80, 4), classes(80), NOTHING),
    "smoothed": ("cross_entropy", (80, 4), classes(80), {"label_smoothing": 0.2}),
    "smoothed, more classes than occur": ("cross_entropy", (80, 9), classes(80), {"label_smoothing": 0.1}),
    "weighed": ("cross_entropy", (80, 4), classes(80), {"weight": WEIGHTS.double()}),
    "weighed and smoothed": (
        "cross_entropy",
        (80, 4),
        classes(80),
        {"weight": WEIGHTS.double(), "label_smoothing": 0.2},
    ),
    "shares": ("cross_entropy", (80, 4), shares(80), NOTHING),
    "shares smoothed and weighed": (
        "cross_entropy",
        (80, 4),
        shares(80),
        {"weight": WEIGHTS.double(), "label_smoothing": 0.3},
    ),
    "yes or no": ("binary_cross_entropy_with_logits", (80,), (classes(80) > 0).double(), NOTHING),
    "several questions": (
        "binary_cross_entropy_with_logits",
        (80, 3),
        (classes(80, 3) > 1).double(),
        NOTHING,
    ),
    "weight of a yes": (
        "binary_cross_entropy_with_logits",
        (80, 3),
        (classes(80, 3) > 1).double(),
        {"pos_weight": torch.tensor([1.0, 5.0, 0.5]).double()},
    ),
    "gray pixels": (
        "binary_cross_entropy_with_logits",
        (80, 4),
        shares(80),
        NOTHING,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_no_constant_does_better(name: str) -> None:
    function, shape, target, options = CASES[name]
    assert told(function, shape, target, options) == pytest.approx(
        learned(function, shape, target, options), abs=2e-4
    )


def test_ignored_targets_do_not_count() -> None:
    target = classes(160)
    target[::2] = -100
    best = learned("cross_entropy", (160, 4), target, NOTHING)
    assert told("cross_entropy", (160, 4), target, NOTHING) == pytest.approx(best, abs=2e-4)


def test_squares_and_distances_are_those_of_the_mean_and_the_median() -> None:
    target = torch.randn(100, 3, generator=CHANCE).exp()
    variance = float(target.double().var(0).mean())
    assert told("mse_loss", (100, 3), target, NOTHING) == pytest.approx(variance)
    middle = target.double().sort(0).values[49]
    distance = float((target.double() - middle).abs().mean())
    assert told("l1_loss", (100, 3), target, NOTHING) == pytest.approx(distance)


def test_old_numbers_thin_out() -> None:
    target = torch.randn(100_000, 1, generator=CHANCE) * 3
    assert told("mse_loss", (100_000, 1), target, NOTHING) == pytest.approx(9.0, rel=0.2)


def test_nothing_is_told_where_no_formula_fits() -> None:
    target = (classes(80) > 0).double()
    weighed = {"weight": torch.ones(80)}
    assert told("binary_cross_entropy_with_logits", (80,), target, weighed) is None
    assert told("cross_entropy", (80, 4), classes(80), {"weight": torch.ones(3)}) is None
    assert told("cross_entropy", (16, 4), classes(16), NOTHING) is None
