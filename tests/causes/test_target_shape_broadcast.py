"""A column against a row; the other's shapes agree."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("pressure_drop", "sine_rnn")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
