"""A validation loss that falls a second time; the twin falls once."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-double-descent")


def fixed() -> Run:
    return curve("h-diabetes-full-batch")
