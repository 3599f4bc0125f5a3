"""Dropout that never rests; the other's rests in validation."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("protein_stability")


def fixed() -> Run:
    return scripted("uci_digits_keras")
