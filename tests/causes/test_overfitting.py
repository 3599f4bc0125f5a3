"""A wide network on two hundred digits, some mislabelled; the twin has six times the data and none."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-overfit-clear")


def fixed() -> Run:
    return curve("h-mlp-digits-adam")
