"""Counts of classes against counting pairs one by one."""

import statistics
from collections import Counter
from itertools import permutations

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from tests.recorder.probes.sampling import VALIDATION, Loop
from traindx.facts import CLASS_BALANCE, CLASSES, UNSEEN_CLASSES
from traindx.quantities import (
    COMMONEST_TARGET_SHARE,
    NEIGHBOR_AGREEMENT,
    TARGET_CLASSES,
    TARGET_MAX,
    TARGET_MEAN,
    TARGET_MIN,
    TARGET_NONFINITE_SHARE,
    TARGET_STD,
)
from traindx.recorder.probes.targets import ClassCounts, Targets, excess, serial_correlation

BATCHES = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=12), min_size=1, max_size=5)


@given(BATCHES)
def test_agreement_is_that_of_all_pairs(batches: list[list[int]]) -> None:
    counts = ClassCounts()
    for batch in batches:
        counts.add(Counter(batch))
    together = [name for batch in batches for name in batch]
    pairs = list(permutations(together, 2))
    if pairs:
        assert counts.agreement == pytest.approx(sum(first == other for first, other in pairs) / len(pairs))
    assert counts.total == len(together)


def test_a_batch_of_one_class_is_sorted_when_others_were_seen() -> None:
    counts = ClassCounts()
    counts.add(Counter([0] * 32))
    assert excess([0] * 32, counts.agreement) is None
    counts.add(Counter([1] * 32))
    assert excess([1] * 32, counts.agreement) == pytest.approx(1.0)


def test_shuffled_targets_agree_by_chance_on_average() -> None:
    counts = ClassCounts()
    targets = [0, 0, 0, 1, 1, 2]
    counts.add(Counter(targets))
    excesses = [excess(list(order), counts.agreement) for order in permutations(targets)]
    assert sum(value for value in excesses if value is not None) / len(excesses) == pytest.approx(0.0)


def test_balance_waits_for_ten_of_each() -> None:
    counts = ClassCounts()
    counts.add(Counter({0: 18}))
    assert counts.balance is None
    counts.add(Counter({1: 1}))
    assert counts.balance is None
    counts.add(Counter({1: 1}))
    assert counts.balance == 9.0


def mean_rank(value: float, values: list[float]) -> float:
    below = sum(other < value for other in values)
    return below + (sum(other == value for other in values) - 1) / 2


@given(st.lists(st.integers(-5, 5).map(float) | st.floats(-1e9, 1e9), min_size=3, max_size=40))
def test_it_is_the_correlation_of_mean_ranks(values: list[float]) -> None:
    ranks = [mean_rank(value, values) for value in values]
    assume(len(set(ranks[:-1])) > 1)
    assume(len(set(ranks[1:])) > 1)
    expected = statistics.correlation(ranks[:-1], ranks[1:])
    assert serial_correlation(values) == pytest.approx(expected, abs=1e-9)


def test_sorted_numbers_have_one() -> None:
    assert serial_correlation([x**3 for x in range(10)]) == pytest.approx(1.0)
    assert serial_correlation([-x for x in range(10)]) == pytest.approx(1.0)


def test_equal_numbers_have_no_order() -> None:
    assert serial_correlation([2.0] * 9) is None
    alternating = serial_correlation([0.0, 1.0] * 8)
    assert alternating is not None
    assert alternating == pytest.approx(-1.0)


CHANCE = torch.Generator().manual_seed(9)


def classes(count: int, *shape: int) -> Tensor:
    return torch.randint(count, shape, generator=CHANCE)


def test_classes_are_counted() -> None:
    target = torch.tensor([2, 0, 2, 2, -100, 3])
    loop = Loop(Targets())
    values = loop.loss("cross_entropy", torch.zeros(6, 5), target)
    kept = [2, 0, 2, 2, 3]
    assert values == pytest.approx(
        {
            TARGET_MEAN: statistics.fmean(kept),
            TARGET_STD: statistics.pstdev(kept),
            TARGET_MIN: 0.0,
            TARGET_MAX: 3.0,
            TARGET_CLASSES: 3.0,
            COMMONEST_TARGET_SHARE: 3 / 5,
        }
    )
    assert loop.facts == {CLASSES: 5}


def test_numbers_are_described_over_the_batch() -> None:
    target = torch.randn(40, 3, generator=CHANCE) * torch.tensor([1.0, 10.0, 0.0])
    values = Loop(Targets()).loss("mse_loss", torch.zeros(40, 3), target)
    columns = target.double().t().tolist()
    variance = statistics.fmean(statistics.pvariance(column) for column in columns)
    assert values[TARGET_STD] == pytest.approx(variance**0.5)
    assert values[TARGET_MEAN] == pytest.approx(statistics.fmean(map(statistics.fmean, columns)))
    assert values[TARGET_NONFINITE_SHARE] == 0.0
    assert TARGET_CLASSES not in values
    assert NEIGHBOR_AGREEMENT not in values


def test_targets_that_are_not_finite_are_counted() -> None:
    target = torch.randn(40, generator=CHANCE)
    target[3] = torch.nan
    values = Loop(Targets()).loss("mse_loss", torch.zeros(40), target)
    assert values[TARGET_NONFINITE_SHARE] == pytest.approx(1 / 40)
    assert NEIGHBOR_AGREEMENT not in values


def agreements(batches: list[Tensor], function: str = "cross_entropy") -> list[float]:
    loop = Loop(Targets())
    excesses = []
    for target in batches:
        prediction = torch.zeros(len(target), 10) if function == "cross_entropy" else torch.zeros(len(target))
        excesses.append(loop.loss(function, prediction, target).get(NEIGHBOR_AGREEMENT, 0.0))
    return excesses


def test_sorted_classes_agree_and_shuffled_ones_do_not() -> None:
    data = classes(10, 3200)
    ordered = agreements(list(data.sort().values.split(32)))
    assert min(ordered[20:]) > 0.9
    shuffled = agreements(list(data.split(32)))
    assert abs(statistics.fmean(shuffled[5:])) < 0.02


def test_alternating_classes_agree_less_than_by_chance() -> None:
    assert agreements([torch.tensor([0, 1] * 16)])[0] < -0.9


def test_sorted_numbers_agree_and_shuffled_ones_do_not() -> None:
    data = torch.randn(6400, generator=torch.Generator().manual_seed(1))
    assert min(agreements(list(data.sort().values.split(32)), "mse_loss")) > 0.99
    assert abs(statistics.fmean(agreements(list(data.split(32)), "mse_loss"))) < 0.08


def test_yes_and_no_have_an_order_too() -> None:
    yes = (torch.arange(64) > 40).float()
    assert agreements([yes], "binary_cross_entropy_with_logits")[0] > 0.9
    assert agreements([yes], "mse_loss")[0] > 0.9


def test_neighbors_within_a_sample_say_nothing() -> None:
    loop = Loop(Targets())
    words = torch.zeros(64, dtype=torch.int64)
    words[:5] = 1
    sentences = [torch.zeros(4, 16, dtype=torch.int64)]
    for _ in range(3):
        assert NEIGHBOR_AGREEMENT not in loop.loss(
            "cross_entropy", torch.zeros(64, 3), words, inputs=sentences
        )
        pixels = words.reshape(4, 4, 4)
        assert NEIGHBOR_AGREEMENT not in loop.loss("cross_entropy", torch.zeros(4, 3, 4, 4), pixels)
    assert CLASS_BALANCE not in loop.facts


def test_balance_is_of_all_targets_seen() -> None:
    loop = Loop(Targets())
    for _ in range(5):
        loop.loss("cross_entropy", torch.zeros(20, 3), torch.tensor([0] * 15 + [1] * 5))
    assert loop.facts[CLASS_BALANCE] == 3.0
    assert loop.facts[CLASSES] == 3


def test_one_hot_targets_are_classes() -> None:
    target = torch.nn.functional.one_hot(torch.tensor([0, 1, 1, 2] * 8), 4).float()
    loop = Loop(Targets())
    values = loop.loss("cross_entropy", torch.zeros(32, 4), target)
    assert (values[TARGET_CLASSES], values[COMMONEST_TARGET_SHARE]) == (3.0, 0.5)
    assert NEIGHBOR_AGREEMENT in values


def test_several_questions_have_no_number_of_classes() -> None:
    loop = Loop(Targets())
    values = loop.loss("binary_cross_entropy_with_logits", torch.zeros(16, 5), torch.zeros(16, 5))
    assert values[COMMONEST_TARGET_SHARE] == 1.0
    assert CLASSES not in loop.facts
    loop.loss("binary_cross_entropy_with_logits", torch.zeros(16, 1), torch.zeros(16, 1))
    assert loop.facts[CLASSES] == 2


def test_validation_is_written_apart_and_states_nothing() -> None:
    loop = Loop(Targets())
    values = loop.loss(
        "cross_entropy", torch.zeros(20, 3), classes(3, 20), purpose=VALIDATION, backward=False
    )
    assert values[TARGET_CLASSES] == 3.0
    assert not loop.facts


def test_classes_that_are_only_validated_are_stated_and_taken_back() -> None:
    loop = Loop(Targets())
    for _ in range(3):
        loop.loss("cross_entropy", torch.zeros(40, 6), torch.arange(40) % 4)
    loop.loss("cross_entropy", torch.zeros(40, 6), torch.arange(40) % 4, purpose=VALIDATION)
    assert UNSEEN_CLASSES not in loop.facts
    loop.loss("cross_entropy", torch.zeros(40, 6), 4 + torch.arange(40) % 2, purpose=VALIDATION)
    assert loop.facts[UNSEEN_CLASSES] == "4, 5"
    loop.loss("cross_entropy", torch.zeros(40, 6), torch.arange(40) % 6)
    assert loop.facts[UNSEEN_CLASSES] == ""


def test_a_rare_class_may_be_missing_by_chance() -> None:
    loop = Loop(Targets())
    loop.loss("cross_entropy", torch.zeros(40, 3), torch.arange(40) % 2)
    loop.loss("cross_entropy", torch.zeros(40, 3), torch.tensor([2, *[0, 1] * 19, 0]), purpose=VALIDATION)
    assert UNSEEN_CLASSES not in loop.facts
