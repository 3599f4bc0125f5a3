"""Classes counted from 1; the other counts from 0."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("iris_softmax", "wine_softmax")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
