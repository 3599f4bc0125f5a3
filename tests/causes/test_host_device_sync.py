"""Values read one by one; the other reads its loss once an epoch."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("neuron_decoder")


def fixed() -> Run:
    return scripted("setosa_small")
