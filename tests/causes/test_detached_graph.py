"""Features that pass through numpy; the other freezes its base on purpose."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("digits_embedding", "tune_adapters")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
