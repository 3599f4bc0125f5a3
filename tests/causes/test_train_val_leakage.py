"""Copies on both sides of the split; the other splits first."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("loan_default", "setosa_small")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
