"""Attention whose scores run away; the other keeps them small."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("flip_transformer", "tiny_char_gpt")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
