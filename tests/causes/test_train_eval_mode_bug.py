"""Batch statistics of pairs in validation; the twin switches to running averages."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-batchnorm-pairs")


def fixed() -> Run:
    return curve("h-cnn-digits-onecycle")
