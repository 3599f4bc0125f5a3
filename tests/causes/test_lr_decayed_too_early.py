"""A schedule that ends long before the run does."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-decayed-early")


def fixed() -> Run:
    return curve("h-spirals-to-zero")
