"""Labels that are all the same; the other has few rows and three classes."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("phone_campaign")


def fixed() -> Run:
    return scripted("setosa_small")
