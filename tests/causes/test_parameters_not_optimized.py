"""An optimizer made before the encoder was swapped; the other trains adapters alone."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("encoder_swap")


def fixed() -> Run:
    return scripted("tune_adapters")
