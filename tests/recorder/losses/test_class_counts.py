"""Counts of classes against counting pairs one by one."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.recorder.losses.class_counts import ClassCounts, excess

BATCHES = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=12), min_size=1, max_size=5)


@given(BATCHES)
def test_agreement_is_that_of_all_pairs(batches: list[list[int]]) -> None:
    counts = ClassCounts()
    for batch in batches:
        counts.add(Counter(batch))
    together = [name for batch in batches for name in batch]
    pairs = list(permutations(together, 2))
    if pairs:
        assert counts.agreement == pytest.approx(sum(one == other for one, other in pairs) / len(pairs))
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
    found = [excess(list(order), counts.agreement) for order in permutations(targets)]
    assert sum(value for value in found if value is not None) / len(found) == pytest.approx(0.0)


def test_balance_waits_for_ten_of_each() -> None:
    counts = ClassCounts()
    counts.add(Counter({0: 18}))
    assert counts.balance is None
    counts.add(Counter({1: 1}))
    assert counts.balance is None
    counts.add(Counter({1: 1}))
    assert counts.balance == 9.0
