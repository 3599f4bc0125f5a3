"""A rate of 3 for plain gradient descent."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-nan-early-rate")


def fixed() -> Run:
    return curve("h-noisy-regression-floor")
