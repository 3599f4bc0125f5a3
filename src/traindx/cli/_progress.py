"""The line on the terminal that says how far the work is."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from traindx.cli._output import complain, terminal_width
from traindx.format import printable


class ProgressLine:
    """One line on the terminal that says what is being done, wiped when something else is printed."""

    def __init__(self, *, shown: bool = True) -> None:
        self._shown = shown and sys.stderr.isatty()
        self._written = False
        self._files = 0

    def reading(self, _: str) -> None:
        """Say how many files were read, every few files."""
        self._files += 1
        if self._files % 10 == 0:
            self.say(f"reading file {self._files:,}")

    def judging(self, number: int, runs: int) -> None:
        """Say which run is being judged, every few runs."""
        if number % 10 == 0:
            self.say(f"judging run {number:,} of {runs:,}")

    def wipe(self) -> None:
        """Leave no trace on the terminal."""
        if self._written:
            self.say("")
        self._written = False

    def say(self, what: str) -> None:
        """Say what is being done."""
        if self._shown:
            # A line that wraps could not be taken back.
            sys.stderr.write(f"\r\x1b[K{printable(what, terminal_width(sys.stderr) - 1)}")
            sys.stderr.flush()
            self._written = True


@contextmanager
def kept_on_interrupt(command: str, folder: str) -> Iterator[None]:
    """Say after Ctrl-C where the work that is done is kept."""
    try:
        yield
    except KeyboardInterrupt:
        complain(command, f"interrupted; finished runs are in {folder}")
        raise


@contextmanager
def progress_of(command: str, folder: str) -> Iterator[ProgressLine]:
    """A line that says how far the work is; where it is interrupted, it says where the rest of it is."""
    progress = ProgressLine()
    with kept_on_interrupt(command, folder):
        try:
            yield progress
        finally:
            progress.wipe()
