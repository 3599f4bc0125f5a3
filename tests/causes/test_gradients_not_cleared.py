"""Gradients never cleared; the other accumulates them on purpose."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("diabetes_mlp", "wind_power")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
