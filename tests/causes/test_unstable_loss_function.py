"""The logarithm of a probability that reaches zero."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-nan-log-zero")


def fixed() -> Run:
    return curve("h-cancer-bce-sgd")
