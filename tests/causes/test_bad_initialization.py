"""Weights drawn ten times too large."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-weights-times-ten")


def fixed() -> Run:
    return curve("h-mlp-digits-adam")
