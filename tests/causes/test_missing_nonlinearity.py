"""Linear layers for a bent task; the other is linear on purpose."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("bumps_keras", "vector_pca_keras")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
