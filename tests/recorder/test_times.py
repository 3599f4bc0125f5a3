"""The parts of a step add up to its whole."""

import pytest

from traindx.recorder.times import StepTimes


def test_a_step_with_a_loader() -> None:
    times = StepTimes(mark=0.0, began=0.0)
    times.fetched(now=2.0, seconds=1.5)
    times.backward_begins(5.0)
    times.backward_ends(9.0)
    times.update_begins(9.5)
    (wall, step, backward, update), (waited, forward, other) = times.finish(10.0)
    assert (wall, step, backward, update, waited, forward) == (10.0, 10.0, 4.0, 0.5, 1.5, 3.0)
    assert waited + forward + backward + update + other == pytest.approx(step)


def test_two_batches_behind_one_step() -> None:
    times = StepTimes(mark=0.0, began=0.0)
    for begin in (0.0, 4.0):
        times.fetched(now=begin + 1, seconds=1.0)
        times.backward_begins(begin + 2)
        times.backward_ends(begin + 4)
    times.update_begins(8.0)
    (_, step, backward, update), (waited, forward, other) = times.finish(9.0)
    assert (step, backward, update, waited, forward, other) == (9.0, 4.0, 1.0, 2.0, 2.0, 0.0)


def test_without_a_loader_forward_cannot_be_told() -> None:
    times = StepTimes(mark=0.0, began=0.0)
    times.backward_begins(3.0)
    times.backward_ends(4.0)
    times.update_begins(4.0)
    plain, loader = times.finish(5.0)
    assert plain == (5.0, 5.0, 1.0, 1.0)
    assert loader == ()


def test_validation_in_between_is_left_out() -> None:
    times = StepTimes(mark=0.0, began=0.0)
    times.fetched(now=50.0, seconds=3.0)
    times.left_out(60.0)
    times.fetched(now=61.0, seconds=1.0)
    times.backward_begins(62.0)
    times.backward_ends(63.0)
    times.update_begins(63.0)
    (wall, step, _, _), (waited, forward, _) = times.finish(64.0)
    assert (wall, step, waited, forward) == (64.0, 4.0, 1.0, 1.0)
