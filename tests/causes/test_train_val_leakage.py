"""Copies on both sides of the split; the other splits first."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("loan_default")


def fixed() -> Run:
    return scripted("setosa_small")
