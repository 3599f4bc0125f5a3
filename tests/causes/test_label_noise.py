"""Careless annotators; the other smooths true labels."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("rater_digits", "warm_restart_cnn")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
