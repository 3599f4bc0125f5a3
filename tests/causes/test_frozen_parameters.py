"""A network that must not learn."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-flat-frozen")


def fixed() -> Run:
    return curve("h-mlp-digits-adam")
