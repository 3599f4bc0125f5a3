"""Features that pass through numpy; the other freezes its base on purpose."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("digits_embedding")


def fixed() -> Run:
    return scripted("tune_adapters")
