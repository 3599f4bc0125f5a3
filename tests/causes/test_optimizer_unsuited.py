"""Rprop on batches; the other trains with Adam."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("cipher_gru")


def fixed() -> Run:
    return scripted("sine_rnn")
