"""Raw prices; the other scales its targets in the model."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("kings_county")


def fixed() -> Run:
    return scripted("wind_power")
