"""Dropout that never rests; the other's rests in validation."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("protein_stability", "uci_digits_keras")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
