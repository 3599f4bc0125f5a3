"""A likelihood that is minimised; the other sums its loss on purpose."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("river_flow_mdn")


def fixed() -> Run:
    return scripted("vae_digits")
