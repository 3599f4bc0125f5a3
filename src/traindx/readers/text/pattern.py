"""The types of what the numbers of a line are: positions and named values."""

from dataclasses import dataclass
from enum import Enum

from traindx.readers.text.prefix import STAMP_NUMBERS, Prefix
from traindx.run import Split


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
        return next((p for place in places for p in self.positions if p.place is place), None)

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
