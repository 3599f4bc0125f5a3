"""A likelihood that is minimised; the other sums its loss on purpose."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("river_flow_mdn", "vae_digits")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
