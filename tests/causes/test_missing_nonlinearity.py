"""Linear layers for a bent task; the other is linear on purpose."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("bumps_keras")


def fixed() -> Run:
    return scripted("vector_pca_keras")
