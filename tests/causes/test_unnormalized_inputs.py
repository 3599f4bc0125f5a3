"""Raw areas and years; the other normalises in its first layer."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("iowa_houses")


def fixed() -> Run:
    return scripted("visits_fraud")
