"""Gates pressed shut; the other is bounded and in range."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("gated_wine")


def fixed() -> Run:
    return scripted("sine_rnn")
