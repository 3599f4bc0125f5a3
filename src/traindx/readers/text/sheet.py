"""The numbers of all lines of one shape: as the first pass keeps them, and as arrays."""

from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from traindx.readers.text.lines import number_of
from traindx.readers.text.pattern import Pattern, Place, Position
from traindx.readers.text.prefix import STAMP_NUMBERS
from traindx.readers.text.remarks import Kind, Remark
from traindx.run import Floats, Rows, Skipped

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


Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sheet:
    """All lines of one shape: where they stand, and their numbers by hole."""

    pattern: Pattern
    lines: Rows
    redrawn: Mask
    """Whether a line was drawn over by the next."""
    numbers: Mapping[int, Floats]

    def __len__(self) -> int:
        """Count the lines."""
        return len(self.lines)

    def of(self, position: Position | None) -> Floats:
        """The numbers of a position; NaN where the lines have none such."""
        return self.numbers[position.hole] if position else np.full(len(self), np.nan)

    def total_of(self, position: Position | None) -> Floats:
        """How many there are of what a position counts; NaN where the lines do not say."""
        if position is None or position.total is None:
            return np.full(len(self), np.nan)
        return self.numbers[position.total]

    @property
    def ranks(self) -> Floats:
        """The rank that wrote each line; NaN where the lines do not say."""
        prefix = self.pattern.prefix
        if prefix.rank_hole is not None:
            return self.numbers[prefix.rank_hole]
        return np.full(len(self), np.nan if prefix.rank is None else float(prefix.rank))

    @property
    def times(self) -> Floats:
        """Seconds since 1970 at which each line was written; NaN where the lines do not say."""
        first = self.pattern.prefix.stamp_hole
        if first is None:
            return np.full(len(self), np.nan)
        return _seconds(*(self.numbers[first + k] for k in range(STAMP_NUMBERS)))

    def where(self, mask: Mask) -> "Sheet":
        """Only some of the lines."""
        if bool(mask.all()):
            return self
        numbers = {hole: values[mask] for hole, values in self.numbers.items()}
        return replace(self, lines=self.lines[mask], redrawn=self.redrawn[mask], numbers=numbers)


def sheet_of(tally: Tally) -> Sheet:
    """The arrays of a tally."""
    return Sheet(
        tally.pattern,
        np.frombuffer(tally.lines, dtype=np.int64),
        np.frombuffer(tally.redrawn, dtype=np.bool_),
        {hole: np.frombuffer(kept) for hole, kept in zip(tally.holes, tally.numbers, strict=True)},
    )


def _seconds(
    year: Floats, month: Floats, day: Floats, hour: Floats, minute: Floats, second: Floats
) -> Floats:
    """Dates to seconds since 1970; NaN where six numbers are no date."""
    # Python writes milliseconds after a comma, which reads like a thousands separator: 33,486 is 33.486 s.
    second = np.where(second >= 60, second / 1000, second)
    sensible = (year > 1990) & (year < 2100) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    sensible &= (hour < 24) & (minute < 60) & (second < 61)
    whole = np.where(sensible, (year - 1970) * 12 + month - 1, 0).astype(np.int64)
    days = whole.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + day - 1
    seconds: Floats = np.where(sensible, days * 86400 + hour * 3600 + minute * 60 + second, np.nan)
    return seconds


_CODE_GAP = 25
_DEFINITIONS = 3


def without_code(sheets: Sequence[Sheet], remarks: Sequence[tuple[int, Remark]]) -> list[Sheet]:
    """Leave out the lines that stand inside a program that was printed into the log."""
    spans = np.array(_programs(remarks), dtype=np.int64).reshape(-1, 2)
    if not len(spans):
        return list(sheets)
    kept: list[Sheet] = []
    for sheet in sheets:
        at = np.searchsorted(spans[:, 0], sheet.lines, side="right") - 1
        kept.append(sheet.where((at < 0) | (sheet.lines > spans[np.maximum(at, 0), 1])))
    return [sheet for sheet in kept if len(sheet)]


def _programs(remarks: Sequence[tuple[int, Remark]]) -> list[tuple[int, int]]:
    """The first and last lines of source code, where there is so much of it that it is a whole program."""
    spans: list[tuple[int, int]] = []
    begin = last = definitions = 0
    for line, remark in remarks:
        if remark.kind not in (Kind.CODE, Kind.DEFINITION):
            continue
        if line - last > _CODE_GAP:
            if definitions >= _DEFINITIONS:
                spans.append((begin, last))
            begin, definitions = line, 0
        last = line
        definitions += remark.kind is Kind.DEFINITION
    return [*spans, (begin, last)] if definitions >= _DEFINITIONS else spans


def of_one_rank(sheets: Sequence[Sheet]) -> tuple[list[Sheet], list[Skipped]]:
    """Keep the lines of the first rank that logs metrics, and those that tell no rank."""
    logging = [s for s in sheets if s.pattern.known and s.pattern.positions and np.isfinite(s.ranks).any()]
    if not logging:
        return list(sheets), []
    first = min(logging, key=lambda sheet: int(sheet.lines[np.isfinite(sheet.ranks)][0]))
    rank = first.ranks[np.isfinite(first.ranks)][0]
    kept = [sheet.where(~(sheet.ranks != rank) | np.isnan(sheet.ranks)) for sheet in sheets]
    others = sum(len(sheet) for sheet in sheets) - sum(len(sheet) for sheet in kept)
    why = f"only what rank {rank:g}, the first to log, wrote is read"
    unread = [Skipped("lines of other ranks", others, why)] if others else []
    return [sheet for sheet in kept if len(sheet)], unread


def without_stale(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Leave out bars at 0: what they show was measured before they began."""
    kept = [sheet.where(sheet.of(sheet.pattern.at(Place.BAR)) != 0) for sheet in sheets]
    return [sheet for sheet in kept if len(sheet)]
