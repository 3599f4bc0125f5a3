"""Classes one after the other; the other takes all data at once."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("letters_glyphs", "wine_softmax")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
