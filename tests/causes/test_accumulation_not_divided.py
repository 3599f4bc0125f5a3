"""Gradients added up and not averaged; the other program divides its loss."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("concrete_accum", "wind_power")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
