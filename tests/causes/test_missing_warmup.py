"""A transformer that normalises after the sum meets its full rate at once."""

from tests.recorded import curve
from traindx.run import Run


def broken() -> Run:
    return curve("s-no-warmup")


def fixed() -> Run:
    return curve("h-post-norm-warmup")
