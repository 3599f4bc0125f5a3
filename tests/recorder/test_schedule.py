"""Looks are dense at first, thin out, and stop where the budget is spent."""

import pytest

from traindx.recorder.schedule import Budget, Schedule, gap_after


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
