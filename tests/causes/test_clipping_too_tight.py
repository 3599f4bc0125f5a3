"""A limit far below every gradient."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-clip-too-tight-text")


def fixed() -> Run:
    return curve("h-rnn-text-sgd")
