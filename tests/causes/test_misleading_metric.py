"""An argmax over one output; the other has one for each class."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("oncology_net", "wine_softmax")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
