"""Looks are dense at first, thin out, and stop where the budget is spent."""

from dataclasses import dataclass
from typing import cast

import pytest

from traindx.recorder.schedule import Budget, Schedule, StepLimit, gap_after
from traindx.recorder.streams import Stream


def _looks(steps: int, every: int | None = None, budget: Budget | None = None) -> list[int]:
    schedule, budget = Schedule(every), budget or Budget(1.0)
    looked = []
    for step in range(1, steps + 1):
        if schedule.wants(step, budget):
            schedule.looked(step)
            looked.append(step)
    return looked


def test_the_first_steps_are_all_looked_at() -> None:
    assert _looks(20) == list(range(1, 21))


@pytest.mark.parametrize(
    ("steps", "fewest", "most"), [(1_000, 50, 90), (10_000, 120, 200), (300_000, 350, 650)]
)
def test_looks_thin_out(steps: int, fewest: int, most: int) -> None:
    assert fewest <= len(_looks(steps)) <= most


def test_gaps_never_shrink() -> None:
    gaps = [gap_after(step) for step in range(1, 50_000, 7)]
    assert gaps == sorted(gaps)


def test_a_fixed_distance_is_kept() -> None:
    assert _looks(100, every=10) == [1, *range(11, 101, 10)]


def test_a_spent_budget_leaves_a_trickle_of_looks() -> None:
    poor = Budget(0.02)
    poor.balance, poor.look_cost = -1.0, 0.001
    assert _looks(100, budget=poor) == [1, 3, 7, 15, 31, 63]
    assert len(_looks(10_000, budget=poor)) < 20


def test_savings_and_debts_are_bounded() -> None:
    budget = Budget(0.02)
    budget.settle(elapsed=1e6, spent=0.0)
    assert budget.balance == 1.0
    budget.settle(elapsed=0.0, spent=1e6)
    assert budget.balance == -0.25


def test_a_look_is_afforded_when_its_cost_was_earned() -> None:
    budget = Budget(0.01)
    budget.balance = 0.0
    budget.looked(0.001)
    assert not budget.affords_look()
    budget.settle(elapsed=0.3, spent=0.0)
    assert not budget.affords_look()
    budget.settle(elapsed=0.1, spent=0.0)
    assert budget.affords_look()


def test_plain_steps_reach_up_to_the_next_look() -> None:
    schedule = Schedule(every=30)
    schedule.looked(1)
    assert schedule.plain_steps(1) == 29
    assert schedule.plain_steps(30) == 0


def test_a_look_that_cannot_be_paid_is_waited_for_in_short_stretches() -> None:
    schedule = Schedule(None)
    schedule.looked(100)
    assert schedule.due == 108
    assert schedule.plain_steps(110) == 20
    assert schedule.plain_steps(195) == 5
    assert schedule.plain_steps(200) == 0


def test_a_distance_that_was_asked_for_is_kept_without_money() -> None:
    poor = Budget(0.02)
    poor.balance, poor.look_cost = -1.0, 0.001
    assert _looks(6, every=2, budget=poor) == [1, 3, 5]


@dataclass
class Steps:
    """As much of a stream as is counted."""

    number: int
    step: int = 0


def taken(most: int, turns: str) -> str:
    """The turns that are taken before the limit ends them; each letter is a step of one stream."""
    limit, streams = StepLimit(most), {name: Steps(number) for number, name in enumerate("ABC", start=1)}
    for place, name in enumerate(turns, start=1):
        streams[name].step += 1
        limit.stepped(cast(Stream, streams[name]))
        if limit.reached:
            return turns[:place]
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
