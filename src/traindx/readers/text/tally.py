"""The types of what the first pass over a text log keeps: numbers by the shape of their lines."""

from array import array
from collections import deque
from dataclasses import dataclass, field

from traindx.readers.text.pattern import Pattern
from traindx.readers.text.remarks import Remark
from traindx.readers.text.shape import number_of

_TAIL = 2_000


@dataclass
class Tally:
    """All lines of one shape: where they stand, and their numbers."""

    pattern: Pattern
    holes: tuple[int, ...]
    lines: "array[int]" = field(default_factory=lambda: array("q"))
    redrawn: "array[int]" = field(default_factory=lambda: array("b"))
    numbers: "tuple[array[float], ...]" = ()
    last: list[str] = field(default_factory=list)
    """The numbers of the last line as they are spelled."""

    def add(self, line: int, numbers: list[str], redrawn: bool) -> None:
        """Keep the numbers of one more line, if all of them are numbers."""
        try:
            values = [float(numbers[hole]) for hole in self.holes]
        except ValueError:
            read = [number_of(numbers[hole]) for hole in self.holes]
            values = [value for value in read if value is not None]
            if len(values) < len(read):
                return
        self.lines.append(line)
        self.redrawn.append(redrawn)
        self.last = numbers
        for kept, value in zip(self.numbers, values, strict=True):
            kept.append(value)


@dataclass
class LogTally:
    """What the first pass over a log found."""

    tallies: list[Tally] = field(default_factory=list)
    remarks: list[tuple[int, Remark]] = field(default_factory=list)
    raised: list[tuple[int, str]] = field(default_factory=list)
    """The last line of every traceback."""
    preamble: list[str] = field(default_factory=list)
    """The lines before the first record: the settings of the run stand there."""
    tail: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=_TAIL))
    """The last lines: how the run ended stands there."""
    lines: int = 0
    cut: int = 0
    """How many lines were too long to be looked at as a whole."""
    torn: bool = False
    """Whether the log breaks off in the middle of a record."""


def tally_of(pattern: Pattern) -> Tally:
    """An empty tally for the lines of a pattern."""
    return Tally(pattern, pattern.holes, numbers=tuple(array("d") for _ in pattern.holes))
