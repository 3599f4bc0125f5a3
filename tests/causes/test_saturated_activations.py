"""Gates pressed shut; the other is bounded and in range."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("gated_wine", "sine_rnn")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
