"""Looks and norms follow the number of the step; a spent budget leaves out late looks alone."""

import time
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import pytest

from traindx.recorder.schedule import Budget, Schedule, StepLimit, one_in
from traindx.recorder.streams import Stream

USUAL = 0.02
GROWING = 3_000
"""Steps in which no look must be paid."""


def rich() -> Budget:
    return Budget(1.0)


def poor() -> Budget:
    budget = Budget(USUAL)
    budget.balance, budget.look_cost = -1.0, 0.001
    return budget


def _looks(steps: int, budget: Budget, share: float = USUAL, every: int | None = None) -> list[int]:
    schedule = Schedule(share, every)
    looked = []
    for step in range(1, steps + 1):
        if schedule.takes(step, budget):
            schedule.looked(step)
            looked.append(step)
    return looked


def _norms(steps: int, share: float = USUAL) -> list[int]:
    schedule = Schedule(share)
    return [step for step in range(1, steps + 1) if schedule.has_norm(step)]


def test_looks_are_dense_at_first() -> None:
    assert _looks(100, rich()) == [1, 2, 3, 5, 8, 13, 21, 35, 58, 96]


@pytest.mark.parametrize(
    ("steps", "fewest", "most"), [(1_000, 12, 15), (10_000, 18, 22), (1_000_000, 500, 530)]
)
def test_looks_thin_out(steps: int, fewest: int, most: int) -> None:
    assert fewest <= len(_looks(steps, rich())) <= most


@pytest.mark.parametrize("share", [0.001, 0.005, USUAL])
def test_a_busy_machine_looks_at_the_same_steps(share: float) -> None:
    assert _looks(GROWING, poor(), share) == _looks(GROWING, rich(), share)


def test_what_cannot_be_paid_is_left_out_and_not_moved() -> None:
    few, all_of_them = _looks(100_000, poor()), _looks(100_000, rich())
    assert set(few) < set(all_of_them)
    assert all(later <= 3 * earlier for earlier, later in pairwise(few[1:]))


def test_gaps_never_shrink_and_end() -> None:
    gaps = [Schedule(USUAL).gap(step) for step in range(1, 50_000, 7)]
    assert gaps == sorted(gaps)
    assert gaps[-1] == 2_000


def test_a_fixed_distance_is_kept() -> None:
    assert _looks(100, rich(), every=10) == [1, *range(11, 101, 10)]


def test_a_distance_that_was_asked_for_is_kept_without_money() -> None:
    assert _looks(6, poor(), every=2) == [1, 3, 5]


def test_norms_of_the_first_steps_are_all_computed_and_later_ones_thin_out() -> None:
    norms = _norms(10_000)
    assert norms[:64] == list(range(1, 65))
    assert norms[-2:] == [9_952, 9_984]


@pytest.mark.parametrize(("share", "gap"), [(1.0, 1), (0.1, 8), (USUAL, 32), (0.001, 512)])
def test_a_larger_budget_has_more_norms(share: float, gap: int) -> None:
    assert _norms(20_000, share)[-1] == 20_000 // gap * gap
    assert set(_norms(20_000, share)) <= set(_norms(20_000)) or share > USUAL


def test_the_next_norm_is_the_next_that_is_computed() -> None:
    schedule, norms = Schedule(USUAL), _norms(3_000)
    for step in range(1, norms[-1]):
        assert schedule.next_norm(step) == next(norm for norm in norms if norm > step)


@pytest.mark.parametrize(("share", "parts"), [(1.0, 1), (0.02, 50), (0.0, 10_000)])
def test_one_in_so_many(share: float, parts: int) -> None:
    assert one_in(share) == parts


class Clock:
    """Processor time that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_savings_and_debts_are_bounded() -> None:
    clock = Clock()
    budget = Budget(0.02, clock)
    budget.affords_look()
    clock.now = 1e6
    budget.affords_look()
    assert budget.balance == 1.0
    budget.look_cost = 1.0
    budget.begin_look()
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        clock.now += 1.0
    budget.looked(1e6, 0.0, must_be_paid=True)
    assert budget.balance == -0.25


def test_a_look_is_afforded_when_its_cost_was_earned() -> None:
    clock = Clock()
    budget = Budget(0.01, clock)
    budget.balance, budget.look_cost = 0.0, 0.001
    assert not budget.affords_look()
    clock.now = 0.3
    assert not budget.affords_look()
    clock.now = 0.4
    assert budget.affords_look()


def test_a_look_costs_only_the_time_in_which_the_thread_had_a_processor() -> None:
    clock = Clock()
    budget = Budget(0.01, clock)
    budget.begin_look()
    time.sleep(0.1)
    clock.now = 0.01
    budget.looked(0.05, 0.0, must_be_paid=False)
    assert 0 < budget.look_cost <= 0.005


def test_a_step_that_waited_for_data_does_not_make_its_look_cheap() -> None:
    clock = Clock()
    budget = Budget(0.01, clock)
    budget.begin_look()
    time.sleep(0.1)
    clock.now = 0.01
    budget.looked(0.005, 0.095, must_be_paid=False)
    assert budget.look_cost > 0.002


def test_plain_steps_reach_up_to_the_next_look() -> None:
    schedule = Schedule(USUAL, every=30)
    schedule.looked(1)
    assert schedule.plain_steps(1) == 29
    assert schedule.plain_steps(30) == 0


def test_after_a_look_that_cannot_be_paid_plain_steps_reach_up_to_the_next() -> None:
    schedule = Schedule(USUAL)
    schedule.looked(10_000)
    assert not schedule.takes(12_000, poor())
    assert schedule.plain_steps(12_000) == 3_999


def test_a_look_that_cannot_be_paid_doubles_the_way_for_good() -> None:
    schedule = Schedule(USUAL)
    schedule.looked(10_000)
    assert (schedule.longest_gap, schedule.stage) == (2_000, 0)
    assert not schedule.takes(12_000, poor())
    assert (schedule.longest_gap, schedule.stage) == (4_000, 1)
    assert schedule.takes(16_000, rich())
    schedule.looked(16_000)
    assert schedule.due == 20_000


@dataclass
class Steps:
    """As much of a stream as is counted."""

    number: int
    step: int = 0


def taken(most: int, turns: str) -> str:
    """The turns that are taken before the limit ends them; each letter is a step of one stream."""
    limit, streams = StepLimit(most), {name: Steps(number) for number, name in enumerate("ABC", start=1)}
    for index, name in enumerate(turns, start=1):
        streams[name].step += 1
        limit.stepped(cast(Stream, streams[name]))
        if limit.reached:
            return turns[:index]
    return turns


@pytest.mark.parametrize(
    ("most", "turns", "expected"),
    [
        (1, "AAAA", "A"),
        (3, "AAAA", "AAA"),
        (9, "AAAA", "AAAA"),
        # In turn: the one with most steps counts.
        (3, "ABABABAB", "ABABA"),
        (4, "AABAABAAB", "AABAA"),
        (4, "ABBABBABB", "ABBABB"),
        # One after the other: steps count on.
        (5, "AAABBBCCC", "AAABB"),
        (7, "AAABBBCCC", "AAABBBC"),
        # One that began alone, before the other joined it.
        (6, "AAABABABABAB", "AAABABABA"),
    ],
)
def test_steps_until_the_limit(most: int, turns: str, expected: str) -> None:
    assert taken(most, turns) == expected


def test_a_stream_may_take_what_is_left() -> None:
    limit, first, second = StepLimit(10), Steps(1, step=4), Steps(2, step=1)
    limit.stepped(cast(Stream, first))
    assert limit.left(cast(Stream, first)) == 6
    limit.stepped(cast(Stream, second))
    assert limit.left(cast(Stream, second)) == 5


def test_without_a_limit_there_is_no_end() -> None:
    limit, stream = StepLimit(), Steps(1, step=10**9)
    limit.stepped(cast(Stream, stream))
    assert not limit.reached
    assert limit.left(cast(Stream, stream)) > 10**9
