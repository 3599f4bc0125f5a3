"""A constant rate that keeps the loss on a noisy band."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-plateau-needs-drop")


def fixed() -> Run:
    return curve("h-plateau-drop-made")
