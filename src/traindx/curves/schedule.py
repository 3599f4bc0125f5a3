"""The learning rate of a run over its steps, as logged or as stated."""

from dataclasses import dataclass

import numpy as np

from traindx.curves.curve import shares, whole
from traindx.quantities import LEARNING_RATE
from traindx.run import Run
from traindx.series import Floats, Series


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

    def at(self, share: float) -> float:
        """The rate in force at a share of the run."""
        index = int(np.searchsorted(self.shares, share, side="right")) - 1
        return float(self.values[max(index, 0)])


def rate_of(run: Run) -> Rate | None:
    """The learning rate over the run; None if fewer than two finite points were logged."""
    if LEARNING_RATE not in run:
        return None
    series = whole_rate(run).finite
    if len(series) < 2 or float(series.values.max()) <= 0:
        return None
    return Rate(series, shares(run, series))


def whole_rate(run: Run) -> Series:
    """The rate of the whole optimizer, or of its first parameter group: groups are not added up."""
    found = run.all(LEARNING_RATE)
    return whole(run, LEARNING_RATE) if len(found) == 1 else run[LEARNING_RATE]
