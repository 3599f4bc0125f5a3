"""Values read one by one; the other reads its loss once an epoch."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("neuron_decoder", "setosa_small")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
