"""Units that never fire; the other is sparse on purpose."""

from tests.scripted import scripted
from traindx.run import Run

SCRIPTS = ("blobs_mlp", "sparse_autoencoder")


def broken() -> Run:
    return scripted(SCRIPTS[0])


def fixed() -> Run:
    return scripted(SCRIPTS[1])
