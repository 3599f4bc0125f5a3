"""Where the curves of a run begin and end, as reports say it: "train loss 2.28 -> about 0.048"."""

from dataclasses import dataclass

import numpy as np

from traindx.curves.curve import curve_of
from traindx.format import number, pair, step
from traindx.report.results.run import main_series
from traindx.run import Run, Series

_LOOKED_UP = 50
"""Points up to which a series is one that a program prints, such as a value for each epoch."""


def outcome(run: Run) -> str:
    """What became of the curves a run is judged by: "train loss 2.28 -> 0.048, val loss 1.68 -> 0.075"."""
    return ", ".join(_from_to(series) for series in main_series(run) if len(series))


def ending(run: Run) -> str:
    """Where a run ended, in a few words: "val loss 2.09", "train loss is NaN from step 310"."""
    curves = [series for series in main_series(run) if len(series)]
    lost = [says for series in curves if (says := _lost(series))]
    if lost or not curves:
        return "".join(lost[:1])
    return f"{_name_of(curves[-1])} {number(_ends_of(curves[-1]).last)}"


def _from_to(series: Series) -> str:
    lost = _lost(series)
    if lost:
        return lost
    name, ends = _name_of(series), _ends_of(series)
    if len(series) == 1:
        return f"{name} {number(ends.last)} (one value, at {series.axis.value} {step(series.steps[0])})"
    if ends.first == ends.last:
        return f"{name} stays at {number(ends.last)}"
    first, last = pair(ends.first, ends.last)
    return f"{name} {first} -> {'about ' if ends.is_smoothed else ''}{last}"


@dataclass(frozen=True)
class _Ends:
    """Where a series begins and ends."""

    first: float
    last: float
    is_smoothed: bool
    """Whether they are levels, as single values are noise."""


def _ends_of(series: Series) -> _Ends:
    """The values themselves where a person may look them up, else the levels around them."""
    values = series.finite.values
    if len(values) <= _LOOKED_UP:
        return _Ends(float(values[0]), float(values[-1]), is_smoothed=False)
    curve = curve_of(series)
    return _Ends(curve.shown(curve.start), curve.shown(curve.end), is_smoothed=True)


def _lost(series: Series) -> str:
    """From where on a series is NaN to its end; empty if it is not."""
    bad = series.first_bad_step
    if bad is None or np.isfinite(series.values[-1]):
        return ""
    return f"{_name_of(series)} is NaN from {series.axis.value} {step(bad)}"


def _name_of(series: Series) -> str:
    return series.quantity.slug.replace("_", " ")
