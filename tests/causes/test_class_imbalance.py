"""A rare class that is never predicted; the other program weights it."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("network_intrusion", "visits_fraud")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
