"""One example at a time; the twin takes four."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-oscillates-batch-1")


def fixed() -> Run:
    return curve("h-iris-batch-4")
