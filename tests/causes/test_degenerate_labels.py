"""Labels that are all the same; the other has few rows and three classes."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("phone_campaign", "setosa_small")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
