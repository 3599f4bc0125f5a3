"""Memory that grows with every step; the twin's stays level."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-memory-grows")


def fixed() -> Run:
    return curve("h-data-ready")
