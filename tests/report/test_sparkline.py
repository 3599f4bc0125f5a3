import numpy as np

from traindx.quantities import TRAIN_LOSS
from traindx.report.extremes import sparkline
from traindx.run import Series


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
