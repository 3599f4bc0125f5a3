"""Passes on what a program prints, and keeps the last part of it in a file; a process of its own.

    python -I -S relay.py FILE BYTES SOURCE:TARGET ...      each a file descriptor

It is not a thread of traindx, so that a program that outlives traindx, or sees it killed, can go on printing.
Each source has a thread: a target that nobody reads holds up nothing but what is printed to it. What a target
takes it gets as it came and at once; the file gets whole lines, so that those of two sources do not mix.
Started without site packages: only the standard library is imported.
"""

import fcntl
import os
import select
import sys
import termios
import threading
from collections.abc import Set
from contextlib import suppress

_BLOCK = 1 << 16
_LONGEST_LINE = 1 << 16
"""Bytes without a line feed that are no line, and are kept as they are."""
_GLANCE = 250
"""Milliseconds between two looks at the size of the terminal, and at whether the program has ended."""
_CONTROL = 0
"""The descriptor that ends when the program has ended; we close it when all it had printed is passed on."""


class Tail:
    """A file that keeps the last part of what is added to it."""

    def __init__(self, path: str, most: int) -> None:
        self._path, self._most = path, most
        self._lock = threading.Lock()
        self._file = _opened(path)
        self._size = os.fstat(self._file).st_size

    def add(self, data: bytes) -> None:
        """Add some lines; a disk that is full costs them, and nothing else."""
        with self._lock, suppress(OSError):
            _write(self._file, data)
            self._size += len(data)
            if self._size > self._most:
                self._halve()

    def _halve(self) -> None:
        """Put the second half in the place of the whole, from its first line on."""
        rest = f"{self._path}.rest"
        half = _opened(rest)
        with open(self._path, "rb") as old:
            old.seek(self._size - self._most // 2)
            old.readline(_LONGEST_LINE)
            while block := old.read(_BLOCK):
                _write(half, block)
        os.replace(rest, self._path)
        os.close(self._file)
        self._file, self._size = half, os.fstat(half).st_size


def _opened(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _write(target: int, data: bytes) -> None:
    """Write all of it, however long the target takes."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(target, left) :]
        except BlockingIOError:  # whoever shares the target has set it so
            select.select([], [target], [])


class Channel:
    """One stream of the program on its way to where it would go without us."""

    def __init__(self, source: int, target: int, tail: Tail) -> None:
        self._source, self._target, self._tail = source, target, tail
        self._line = b""
        """What was printed of a line that has not ended."""
        self.ended = threading.Event()
        """Set when the program has ended."""
        self.drained = threading.Event()
        """Set when all is passed on that it had printed by then."""

    def run(self) -> None:
        """Pass on what comes until nobody can print any more, or nobody reads it."""
        # A write that fails for the program as it would without us: with a broken pipe.
        with suppress(OSError):
            while self._is_open():
                pass
        os.close(self._source)
        self._tail.add(self._line)
        self.drained.set()

    def _is_open(self) -> bool:
        watched = select.poll()
        watched.register(self._source, select.POLLIN)
        watched.register(self._target, 0)
        ready = dict(watched.poll(_GLANCE))
        if self._target in ready:
            return False
        if self._source in ready:
            return self._pass_on()
        self._take_size()
        if self.ended.is_set():
            self.drained.set()
        return True

    def _pass_on(self) -> bool:
        data = os.read(self._source, _BLOCK)
        _write(self._target, data)
        whole, feed, rest = (self._line + data).rpartition(b"\n")
        self._line = rest
        if len(rest) > _LONGEST_LINE:
            whole, feed, self._line = whole + feed, rest, b""
        if whole or feed:
            self._tail.add(whole + feed)
        return bool(data)

    def _take_size(self) -> None:
        """Let the program see the size of the terminal that it prints to."""
        if not os.isatty(self._target):
            return
        size = fcntl.ioctl(self._target, termios.TIOCGWINSZ, bytes(8))
        if size != fcntl.ioctl(self._source, termios.TIOCGWINSZ, bytes(8)):
            fcntl.ioctl(self._source, termios.TIOCSWINSZ, size)


def _let_go(targets: Set[int]) -> None:
    """Close the standard streams to which nothing is passed on: somebody may wait for their end."""
    for descriptor in {1, 2} - targets:
        with suppress(OSError):
            os.close(descriptor)


def main(path: str, most: str, *pairs: str) -> None:
    """Pass on what comes from each source to its target."""
    tail = Tail(path, int(most))
    ends = [(int(source), int(target)) for source, target in (pair.split(":") for pair in pairs)]
    _let_go({target for _, target in ends})
    channels = [Channel(source, target, tail) for source, target in ends]
    for channel in channels:
        threading.Thread(target=channel.run).start()
    os.read(_CONTROL, 1)
    for channel in channels:
        channel.ended.set()
    for channel in channels:
        channel.drained.wait()
    os.close(_CONTROL)


if __name__ == "__main__":
    main(*sys.argv[1:])
