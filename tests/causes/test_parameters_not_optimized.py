"""An optimizer made before the encoder was swapped; the other trains adapters alone."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("encoder_swap", "tune_adapters")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
