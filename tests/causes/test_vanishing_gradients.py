"""Ten sigmoid layers in a row."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-flat-deep-sigmoid")


def fixed() -> Run:
    return curve("h-mlp-digits-adam")
