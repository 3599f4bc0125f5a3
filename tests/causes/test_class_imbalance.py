"""A rare class that is never predicted; the other program weights it."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("network_intrusion")


def fixed() -> Run:
    return scripted("visits_fraud")
