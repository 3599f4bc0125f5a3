"""Validation pictures turned by a quarter; the twin validates on upright ones."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-validation-turned")


def fixed() -> Run:
    return curve("h-cnn-digits-onecycle")
