"""The learning rate of a run over its steps, and between which rates the recipes of an optimizer lie."""

from dataclasses import dataclass

import numpy as np

from traindx.curves.facts import stated_number, stated_word
from traindx.curves.series import shares
from traindx.facts import MOMENTUM, OPTIMIZER
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


_ADAPTIVE = (1e-4, 1e-2)
"""Ten times either way of the 0.001 that Adam comes with; bench/thresholds.md#usual-rates."""
_USUAL = {
    **dict.fromkeys(("adam", "adamw", "nadam", "radam", "adamax", "rmsprop", "lamb"), _ADAPTIVE),
    "adagrad": (2e-3, 0.2),
    "adadelta": (0.1, 5.0),
    "lion": (1e-5, 1e-3),
}
"""The lowest and highest rate of the recipes of an optimizer; bench/thresholds.md#usual-rates."""
_HEAVY, _PLAIN = (2e-3, 0.5), (5e-3, 1.0)
"""SGD with momentum, whose steps add up to ten times the rate, and without;
bench/thresholds.md#usual-rates."""


def peak_and_usual(run: Run) -> tuple[float, float, float] | None:
    """The highest rate of a run, and the lowest and highest of recipes; None where one is not known."""
    rate, kind = rate_of(run), stated_word(run, OPTIMIZER)
    usual = (_HEAVY if (stated_number(run, MOMENTUM) or 0) >= 1 / 2 else _PLAIN) if kind == "sgd" else None
    usual = usual or _USUAL.get(kind)
    return (rate.peak, *usual) if rate is not None and usual is not None and rate.peak > 0 else None
