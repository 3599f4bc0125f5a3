"""Classes one after the other; the other takes all data at once."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("letters_glyphs")


def fixed() -> Run:
    return scripted("wine_softmax")
