"""Classes counted from 1; the other counts from 0."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("iris_softmax")


def fixed() -> Run:
    return scripted("wine_softmax")
