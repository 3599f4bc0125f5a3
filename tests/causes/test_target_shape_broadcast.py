"""A column against a row; the other's shapes agree."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("pressure_drop")


def fixed() -> Run:
    return scripted("sine_rnn")
