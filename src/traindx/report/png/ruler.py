"""Where points lie on the horizontal axis of a picture, whatever they are counted in."""

from dataclasses import dataclass

import numpy as np

from traindx.curves.series import shares
from traindx.finding import Evidence
from traindx.run import Axis, Floats, Run, Series


@dataclass(frozen=True, eq=False)
class Ruler:
    """The axis of one series; those that are counted otherwise are placed by their share of the run."""

    run: Run
    base: Series

    def positions(self, series: Series) -> Floats:
        """Where the points of a series lie."""
        if series.axis is self.base.axis:
            return series.steps
        first, last = self._ends()
        return np.asarray(first + shares(self.run, series) * (last - first))

    def span(self, evidence: Evidence) -> tuple[float, float] | None:
        """Where evidence begins and ends; None where the run counts nothing so."""
        if evidence.axis is self.base.axis:
            return evidence.steps
        alike = [series for series in self.run.series if series.axis is evidence.axis and len(series)]
        if not alike:
            return None
        longest = max(alike, key=len)
        first, last = np.interp(evidence.steps, longest.steps, self.positions(longest)).tolist()
        return first, last

    def _ends(self) -> tuple[float, float]:
        alike = [series for series in self.run.series if series.axis is self.base.axis and len(series)]
        first = min(float(series.steps[0]) for series in alike)
        last = max(float(series.steps[-1]) for series in alike)
        if self.base.axis in (Axis.EPOCH, Axis.RECORD):
            # An epoch's figures are written when it ends: the run began one epoch before the first.
            first -= (last - first) / max(len(self.base), 1)
        return first, last
