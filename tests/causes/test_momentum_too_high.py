"""Momentum that adds up hundreds of steps; the other adds up ten."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("energy_regression")


def fixed() -> Run:
    return scripted("warm_restart_cnn")
