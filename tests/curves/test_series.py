"""Series that signs ask for."""

import numpy as np
import pytest

from traindx.curves.series import evenly
from traindx.quantities import GRADIENT_NORM
from traindx.recorder.schedule import Schedule
from traindx.run import Floats, Series


def norms(steps: Floats) -> Series:
    return Series(GRADIENT_NORM, steps, 0.01 * steps)


def recorded(count: int) -> Series:
    """The norms that are recorded of so many steps."""
    schedule = Schedule(0.02)
    return norms(np.array([step for step in range(1, count + 1) if schedule.has_norm(step)], dtype=float))


@pytest.mark.parametrize("gap", [1, 7])
def test_what_is_even_stays_as_it_is(gap: int) -> None:
    series = norms(np.arange(1.0, 2000.0, gap))
    assert evenly(series) is series


def test_few_points_stay_as_they_are() -> None:
    series = norms(np.unique(np.geomspace(1, 1e6, 60).round()))
    assert evenly(series) is series


def test_a_gap_in_a_log_does_not_thin_it() -> None:
    series = norms(np.concatenate((np.arange(1.0, 500.0), np.arange(600.0, 1000.0))))
    assert evenly(series) is series


@pytest.mark.parametrize("steps", [300, 900, 2_280, 20_000, 300_000])
def test_half_of_the_points_is_half_of_the_run(steps: int) -> None:
    series = recorded(steps)
    even = evenly(series)
    assert len(even) >= 40
    assert set(even.steps) <= set(series.steps)
    assert 0.25 * steps < float(np.median(even.steps)) < 0.6 * steps


def test_where_the_run_is_dense_makes_no_difference() -> None:
    steps = np.arange(1.0, 2001.0)
    first = norms(steps[(steps <= 1000) | (steps % 20 == 0)])
    last = norms(steps[(steps > 1000) | (steps % 20 == 0)])
    medians = [float(np.median(evenly(series).values)) for series in (first, last)]
    assert medians == pytest.approx([10.0, 10.0], rel=0.05)
