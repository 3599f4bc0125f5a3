"""An output that cannot reach its targets; the other's bound is the targets' own."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("bike_demand")


def fixed() -> Run:
    return scripted("sine_rnn")
