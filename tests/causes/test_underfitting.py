"""Ten digits squeezed through two hidden units; the twin has sixty-four."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-capacity-digits")


def fixed() -> Run:
    return curve("h-mlp-digits-adam")
