"""Class ids as amounts; the other predicts amounts."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("glyph_classifier", "sine_rnn")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
