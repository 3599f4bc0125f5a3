"""A long series is reduced without losing a spike."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from traindx.quantities import TRAIN_LOSS
from traindx.report.plot_data import extremes, sparkline
from traindx.run import Series

VALUES = st.lists(st.floats(width=32), min_size=1, max_size=400)


def test_a_short_series_is_kept_whole() -> None:
    steps, values = np.arange(6.0), np.array([1.0, np.nan, 3.0, np.inf, 5.0, -np.inf])
    drawn = extremes(steps, values, 3)
    assert drawn.steps.tolist() == steps.tolist()
    assert np.isnan(drawn.values).tolist() == [False, True, False, True, False, True]
    assert drawn.bad_steps.tolist() == [1, 3, 5]
    assert drawn.every == 0


def test_a_spike_of_one_step_in_a_million_is_kept() -> None:
    values = np.random.default_rng(0).random(1_000_000)
    values[123_456], values[654_321], values[900_001] = 50.0, -50.0, np.nan
    drawn = extremes(np.arange(1e6), values, 2000)
    assert len(drawn.steps) <= 4002
    assert drawn.steps[np.nanargmax(drawn.values)] == 123_456
    assert drawn.steps[np.nanargmin(drawn.values)] == 654_321
    assert drawn.bad_steps.tolist() == [900_001]
    assert round(drawn.every) == 500


def test_a_stretch_without_numbers_breaks_the_line() -> None:
    values = np.ones(1000)
    values[400:600] = np.nan
    drawn = extremes(np.arange(1000.0), values, 20)
    inside = (drawn.steps >= 400) & (drawn.steps < 600)
    assert inside.any()
    assert np.isnan(drawn.values[inside]).all()
    assert np.isfinite(drawn.values[~inside]).all()


@given(VALUES, st.integers(1, 20))
def test_what_is_drawn_stands_in_the_series_and_nothing_reaches_beyond_it(
    listed: list[float], columns: int
) -> None:
    steps, values = np.arange(float(len(listed))), np.array(listed)
    drawn = extremes(steps, values, columns)
    finite = np.isfinite(values)
    known = np.isfinite(drawn.values)
    assert (np.diff(drawn.steps) > 0).all()
    assert drawn.values[known].tolist() == values[drawn.steps[known].astype(int)].tolist()
    if finite.any():
        assert drawn.values[known].max() == values[finite].max()
        assert drawn.values[known].min() == values[finite].min()
    assert len(drawn.bad_steps) == 0 if finite.all() else len(drawn.bad_steps) > 0
    assert not np.isfinite(drawn.bad_values).any()
    assert len(drawn.steps) <= 2 * columns + 2


def series(values: list[float]) -> Series:
    return Series(TRAIN_LOSS, np.arange(len(values), dtype=np.float64), np.array(values, dtype=np.float64))


def test_a_falling_curve_falls() -> None:
    assert sparkline(series([4, 3, 2, 1, 0]), 5) == "█▆▅▃▁"


def test_a_spike_of_one_step_in_a_thousand_stays_visible() -> None:
    values = [1.0] * 1000
    values[503] = 50.0
    assert sparkline(series(values), 10) == "▁▁▁▁▁█▁▁▁▁"


def test_non_finite_stretches_are_crosses() -> None:
    assert sparkline(series([1, 2, float("nan"), float("inf")]), 4) == "▁█××"
    assert sparkline(series([float("nan")] * 3)) == "×××"


def test_a_constant_is_flat() -> None:
    assert sparkline(series([2, 2, 2])) == "▁▁▁"
