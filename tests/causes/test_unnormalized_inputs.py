"""Raw areas and years; the other normalises in its first layer."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("iowa_houses", "visits_fraud")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
