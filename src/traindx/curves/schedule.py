"""The learning rate of a run over its steps, as logged or as stated."""

from dataclasses import dataclass

import numpy as np

from traindx.curves.curve import shares
from traindx.quantities import LEARNING_RATE
from traindx.run import Floats, Run, Series


@dataclass(frozen=True, eq=False)
class Rate:
    """The logged learning rate: its points, and where in the run each lies."""

    series: Series
    shares: Floats
    """0 the begin of the run, 1 its end."""

    @property
    def values(self) -> Floats:
        """The rate at each point."""
        return self.series.values

    @property
    def peak(self) -> float:
        """The highest rate."""
        return float(self.values.max())


def rate_of(run: Run) -> Rate | None:
    """The learning rate over the run; None if fewer than two finite points were logged."""
    if LEARNING_RATE not in run:
        return None
    series = whole_rate(run).finite
    if len(series) < 2 or float(series.values.max()) <= 0:
        return None
    return Rate(series, shares(run, series))


def whole_rate(run: Run) -> Series:
    """The rate of the whole optimizer, or of the parameter group with the highest peak."""
    found = [series for series in run.all(LEARNING_RATE) if not series.part] or list(run.all(LEARNING_RATE))
    return max(found, key=lambda series: float(np.max(series.finite.values, initial=-np.inf)))
