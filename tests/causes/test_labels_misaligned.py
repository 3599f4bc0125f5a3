"""Labels in another order than their inputs."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-flat-labels-late")


def fixed() -> Run:
    return curve("h-mlp-digits-adam")
