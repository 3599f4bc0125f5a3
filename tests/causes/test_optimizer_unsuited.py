"""Rprop on batches; the other trains with Adam."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("cipher_gru", "sine_rnn")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
