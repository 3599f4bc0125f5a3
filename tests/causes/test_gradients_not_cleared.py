"""Gradients never cleared; the other accumulates them on purpose."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("diabetes_mlp")


def fixed() -> Run:
    return scripted("wind_power")
