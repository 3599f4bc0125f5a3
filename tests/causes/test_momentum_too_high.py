"""Momentum that adds up hundreds of steps; the other adds up ten."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("energy_regression", "warm_restart_cnn")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
