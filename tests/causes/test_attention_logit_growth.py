"""Attention whose scores run away; the other keeps them small."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("flip_transformer")


def fixed() -> Run:
    return scripted("tiny_char_gpt")
