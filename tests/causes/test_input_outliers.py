"""A few targets far outside the rest; the twin has only noise."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-spikes-outlier-targets")


def fixed() -> Run:
    return curve("h-noisy-regression-floor")
