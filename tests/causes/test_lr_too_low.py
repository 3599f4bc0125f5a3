"""A rate at which a whole run moves nothing."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-flat-tiny-rate")


def fixed() -> Run:
    return curve("h-mlp-digits-adam")
