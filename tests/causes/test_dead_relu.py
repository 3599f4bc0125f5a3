"""Units that never fire; the other is sparse on purpose."""

from tests.scripted import scripted
from traindx.run import Run


def broken() -> Run:
    return scripted("blobs_mlp")


def fixed() -> Run:
    return scripted("sparse_autoencoder")
