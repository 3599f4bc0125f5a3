"""Scores that run away; the other's temperature grows and stays."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("glyph_scores", "two_tower")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
