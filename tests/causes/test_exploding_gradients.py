"""A recurrent network with recurrent weights above 1, and the same with clipping."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-nan-rnn-explodes")


def fixed() -> Run:
    return curve("h-rnn-clip-saves")
