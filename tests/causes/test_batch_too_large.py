"""One update for thousands of samples; the other has few samples and takes many steps."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("optdigits_train")


def fixed() -> Run:
    return scripted("setosa_small")
