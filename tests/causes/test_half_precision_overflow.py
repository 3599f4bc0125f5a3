"""Activations that leave the range of float16, and smaller ones that do not."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-fp16-overflow")


def fixed() -> Run:
    return curve("h-fp16-scale-settles")
