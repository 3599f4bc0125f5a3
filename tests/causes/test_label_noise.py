"""Careless annotators; the other smooths true labels."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("rater_digits")


def fixed() -> Run:
    return scripted("warm_restart_cnn")
