"""Class ids as amounts; the other predicts amounts."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("glyph_classifier")


def fixed() -> Run:
    return scripted("sine_rnn")
