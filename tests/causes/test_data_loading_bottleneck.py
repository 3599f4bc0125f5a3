"""Steps that wait for their batch; the twin's batches are ready in time."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-data-wait")


def fixed() -> Run:
    return curve("h-data-ready")
