"""Raw prices; the other scales its targets in the model."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("kings_county", "wind_power")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
