"""One missing value in a batch that comes late; the twin has none."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-nan-missing-value")


def fixed() -> Run:
    return curve("h-mlp-digits-adam")
