"""An argmax over one output; the other has one for each class."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("oncology_net")


def fixed() -> Run:
    return scripted("wine_softmax")
