"""A terminal of our own, for what is asked and drawn only where somebody watches."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch


@contextmanager
def terminal(columns: int = 80) -> Iterator[int]:
    """A terminal in the place of standard input and standard error; its other end, where a person types."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with (
        os.fdopen(os.dup(theirs), "r", encoding="utf-8") as stdin,
        os.fdopen(theirs, "w", encoding="utf-8") as stderr,
        patch.object(sys, "stdin", stdin),
        patch.object(sys, "stderr", stderr),
        patch.dict(os.environ),
    ):
        os.environ.pop("COLUMNS", None)
        yield ours
    os.close(ours)


def shown(other_end: int, seconds: float = 0) -> str:
    """What was written to a terminal since the last look; waits so long for the first of it."""
    output = b""
    while select.select([other_end], [], [], 0 if output else seconds)[0]:
        output += os.read(other_end, 1 << 16)
    return output.decode()
