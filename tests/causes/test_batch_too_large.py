"""One update for thousands of samples; the other has few samples and takes many steps."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("optdigits_train", "setosa_small")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
