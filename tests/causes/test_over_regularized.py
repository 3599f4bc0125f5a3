"""Dropout of 0.9; the twin drops half."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-regularized-dropout")


def fixed() -> Run:
    return curve("h-mlp-digits-heavy-dropout")
