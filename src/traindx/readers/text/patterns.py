"""What the numbers of all lines of one shape are: positions and named values; and the numbers themselves."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from traindx.readers.text.lines import number_of
from traindx.run import Floats, Rows, Split

THOUSANDS = {"K": 1e3, "k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
"""What a letter behind a number stands for."""


class Place(Enum):
    """What kind of position a number is."""

    STEP = "step"
    BATCH = "batch"
    """A step counted within its epoch."""
    EPOCH = "epoch"
    SAMPLES = "samples"
    BAR = "bar"
    """The count of a progress bar."""
    PASS = "pass"  # noqa: S105  a pass over the data
    """The count of a bar that shows running means of an epoch: only its last redraw is a record."""
    LEAD = "lead"
    """A number that leads the line without a name: a round of boosting."""


@dataclass(frozen=True)
class Position:
    """A number that says where in the run a line stands."""

    place: Place
    name: str
    hole: int
    total: int | None = None
    """The number that says how many there are, as in 14/5005."""
    lead: str = ""
    """The words that lead up to it: "Cost after iteration 100" is a cost."""
    unit: str = ""

    @property
    def grain(self) -> float:
        """What it was rounded to: step 21K is one between 20500 and 21500."""
        return THOUSANDS.get(self.unit, 1.0)

    @property
    def last_hole(self) -> int:
        """The last number that was read for it."""
        return self.hole if self.total is None else self.total


@dataclass(frozen=True)
class Pair:
    """A number and its name."""

    name: str
    hole: int
    sign: int = 1
    unit: str = ""
    average: int | None = None
    """The running average beside a value: 6.88 (6.90)."""
    total: int | None = None
    """What the number is a share of: Accuracy: 9836/10000."""
    split: Split | None = None
    known: bool = False
    explicit: bool = True
    """Whether a mark shows that the word is a name; else only its being known does."""
    lead: int | None = None
    """The position before which the name stands: Cost after iteration 100: 0.69."""
    item: int | None = None
    """Which element of a list it is: Dice: [0.92, 0.86]."""

    @property
    def last_hole(self) -> int:
        """The last number that was read for it."""
        return max(hole for hole in (self.hole, self.average, self.total) if hole is not None)


STAMP_NUMBERS = 6
"""Year, month, day, hour, minute and second."""


@dataclass(frozen=True)
class Prefix:
    """What stands before the message."""

    end: int
    """Where the message begins in the shape."""
    rank: int | None = None
    """The rank that wrote the line, where the prefix spells it inside a word, as in `rank0`."""
    rank_hole: int | None = None
    """The number that tells the rank, where it is a number of its own."""
    stamp_hole: int | None = None
    """The first of the six numbers of a date and time, if the line has one."""


@dataclass(frozen=True)
class Pattern:
    """What the numbers of all lines of one shape are."""

    prefix: Prefix
    positions: tuple[Position, ...] = ()
    pairs: tuple[Pair, ...] = ()
    split: Split | None = None
    """The part of the data that the line as a whole speaks of."""
    label: str = ""
    """Words before the first value that say what kind of line it is: "EPOCH 7 done"."""
    strays: int = 0
    """How many words before the last value belong to nothing: many of them make prose."""
    trailing: int = 0
    """How many words follow the last value."""
    running: bool = False
    """Whether the values are still under way: of lines in a row at one position only the last is a record."""
    starred: bool = False
    """Whether an asterisk leads the line, as that of the summaries in PyTorch's ImageNet example."""

    @property
    def words(self) -> int:
        """How many words of the line belong to nothing."""
        return self.strays + self.trailing

    @property
    def known(self) -> bool:
        """Whether any of the names is known."""
        return any(pair.known for pair in self.pairs)

    @property
    def kind(self) -> str:
        """The names in the line: what tells kinds of lines apart, units and marks aside."""
        return "|".join([self.label, *(pair.name for pair in self.pairs)])

    def at(self, *places: Place) -> Position | None:
        """The first position of one of these kinds."""
        return next((p for kind in places for p in self.positions if p.place is kind), None)

    def without(self, place: Place) -> "Pattern":
        """The pattern without the positions of one kind."""
        return replace(self, positions=tuple(p for p in self.positions if p.place is not place))

    @property
    def holes(self) -> tuple[int, ...]:
        """The numbers that have to be kept."""
        stamp, rank = self.prefix.stamp_hole, self.prefix.rank_hole
        wanted = [
            *(hole for p in self.positions for hole in (p.hole, p.total)),
            *(hole for p in self.pairs for hole in (p.hole, p.total)),
            *(range(stamp, stamp + STAMP_NUMBERS) if stamp is not None else ()),
            rank,
        ]
        return tuple(dict.fromkeys(hole for hole in wanted if hole is not None))


@dataclass
class Tally:
    """All lines of one shape: where they stand, and their numbers."""

    pattern: Pattern
    lines: "array[int]" = field(default_factory=lambda: array("q"))
    redrawn: "array[int]" = field(default_factory=lambda: array("b"))
    last: list[str] = field(default_factory=list)
    """The numbers of the last line as they are spelled."""

    def __post_init__(self) -> None:
        """Begin a row of numbers for each hole that is kept."""
        self.holes = self.pattern.holes
        self.numbers = tuple(array("d") for _ in self.holes)

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
        if position is None:
            return np.full(len(self), np.nan)
        numbers = self.numbers[position.hole]
        return numbers if position.grain == 1 else numbers * position.grain

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
