"""Three hidden units for three spirals; the twin is wide enough."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-capacity-spirals")


def fixed() -> Run:
    return curve("h-spirals-to-zero")
