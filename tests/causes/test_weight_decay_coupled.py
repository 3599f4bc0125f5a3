"""Decay inside Adam; the other's is too small to matter."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("digits_decay_mlp", "wind_power")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
