"""Decay inside Adam; the other's is too small to matter."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("digits_decay_mlp")


def fixed() -> Run:
    return scripted("wind_power")
