"""Stopped after four epochs in the steepest part; the twin goes on to fifteen."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-too-few-epochs")


def fixed() -> Run:
    return curve("h-mlp-digits-adam")
