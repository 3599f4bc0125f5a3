"""An output that cannot reach its targets; the other's bound is the targets' own."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("bike_demand", "sine_rnn")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
