"""Reckoning with tensors of a program, whatever modes the program has switched on."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

_DEVICES = ("cpu", "cuda", "mps", "xpu")


@contextmanager
def reckoning() -> Iterator[None]:
    """A stretch of code without graph and without autocast, which would change our types."""
    casting = [device for device in _DEVICES if torch.is_autocast_enabled(device)]
    for device in casting:
        torch.set_autocast_enabled(device, False)
    try:
        with torch.no_grad():
            yield
    finally:
        for device in casting:
            torch.set_autocast_enabled(device, True)
