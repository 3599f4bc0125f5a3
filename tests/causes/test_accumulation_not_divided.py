"""Gradients added up and not averaged; the other program divides its loss."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("concrete_accum")


def fixed() -> Run:
    return scripted("wind_power")
