"""A data set as its source gave it, and as the checks look at it: rows of numbers, both parts alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from math import ceil
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from traindx.errors import TraindxError, UnknownNameError
from traindx.finding import Row, RowKind
from traindx.format import count, listed, printable
from traindx.run import Floats, Rows

Array = NDArray[np.generic]

MOST_ROWS: Annotated[int, "rows looked at unless told otherwise: 100,000 x 100 take some ten seconds"] = (
    100_000
)
_MOST_BYTES: Annotated[int, "memory for one part; a copy or two of it are made"] = 1 << 27
_MOST_POSITIONS: Annotated[int, "values of one row; finer images are thinned evenly"] = 1 << 14


@dataclass(frozen=True, eq=False)
class Raw:
    """Rows as read: inputs of any shape, targets if there are any, and where they come from."""

    inputs: Array
    """Rows by anything; of a table, rows by number columns, with NaN where a cell is blank."""
    targets: Array | None
    rows: Rows
    """Which rows of the data these are."""
    total: int
    names: tuple[str, ...] = ()
    """The columns of a table; empty for arrays and images."""
    texts: Mapping[str, Array] = field(default_factory=dict)
    """Columns of words; an empty text is a blank."""
    numbering: Mapping[str, Array] = field(default_factory=dict)
    """Columns that number the rows, which are no features."""
    target_name: str = ""
    blanks: bool = False
    """Whether NaN may stand for a blank cell, as in tables, which no network gets as they are."""
    items: tuple[str, ...] = ()
    """The file of each row, where each is one."""
    is_fed: bool = False
    """Whether the network gets exactly this: what a Dataset or loader returns, not what lies in a file."""
    has_order: bool = True
    """Whether the rows stand in an order that a training could meet; not in folders of classes."""
    is_loader: bool = False
    """Whether the order is the one in which a training gets the rows."""
    broken: tuple[Row, ...] = ()
    """Rows that could not be read or have another shape."""
    notes: tuple[str, ...] = ()


def rows_of(total: int, row_bytes: int, most: int) -> Rows:
    """The rows to look at: all, or evenly spaced ones where there are too many."""
    room = max(min(most, _MOST_BYTES // max(row_bytes, 1)), 16)
    if total <= room:
        return np.arange(total)
    return np.unique(np.linspace(0, total - 1, room).astype(np.int64))


def sampled(looked: int, total: int, what: str = "row") -> str:
    """What is said where not all rows were looked at."""
    return f"checked {looked:,} of {count(total, what)}, evenly spaced; set --rows for more"


def thinned(inputs: Array) -> Array:
    """Images and signals of very many values with every n-th of each long dimension."""
    shape = list(inputs.shape[1:])
    if len(shape) < 2 or np.prod(shape) <= _MOST_POSITIONS:
        return inputs
    excess = np.prod(shape) / _MOST_POSITIONS
    long = [index for index, size in enumerate(shape) if size > 4]
    step = ceil(excess ** (1 / max(len(long), 1)))
    return inputs[(slice(None), *(slice(None, None, step if at in long else 1) for at in range(len(shape))))]


_TARGETS = ("y", "label", "labels", "target", "targets", "class", "classes", "category", "outcome")
_INPUTS = tuple("x input inputs data features image images pixel_values input_ids tokens".split())
_TRAINING = ("train", "training")
_VALIDATION = ("val", "valid", "validation", "test", "dev")


def target_among(where: str, names: Sequence[str], wanted: str | None) -> tuple[str, tuple[str, ...]]:
    """The column to predict, and a note where it was guessed."""
    if wanted is not None:
        if wanted in names:
            return wanted, ()
        if wanted.removeprefix("-").isdecimal() and -len(names) <= int(wanted) < len(names):
            return names[int(wanted)], ()
        shown = listed([printable(name, 40) for name in names], 12)
        raise TraindxError(f'{printable(where)}: no column "{printable(wanted, 60)}"; it has {shown}')
    for known in _TARGETS:
        for name in names:
            if name.strip().lower() == known:
                return name, (
                    f"target column: {printable(name, 40)} (by its name); set --target to change it",
                )
    if len(names) < 2:
        return "", ("no target: the table has a single column",)
    return names[-1], (
        f"target column: {printable(names[-1], 40)} (the last one, a guess); set --target to change it",
    )


def keyed(names: Sequence[str], part: str) -> tuple[str | None, str | None]:
    """The names of inputs and target among arrays or parts of a batch; part "" where there is but one."""
    own = _TRAINING if part == "training" else _VALIDATION if part else ("",)
    return _first(names, own, _INPUTS), _first(names, own, _TARGETS)


def keys_of(where: str, names: Sequence[str], target: str | None) -> tuple[str, str | None]:
    """Inputs and target of a file with one part; refuses where they cannot be told."""
    inputs, guess = keyed(names, "")
    if target is not None and target not in names:
        raise UnknownNameError(f"array of {printable(where)}", target, names)
    chosen = target or guess
    if inputs is None or inputs == chosen:
        others = [name for name in names if name != chosen]
        if len(others) != 1:
            shown = ", ".join(printable(name, 40) for name in names)
            raise TraindxError(
                f"{where}: not clear which of {shown} are the inputs; save inputs as x, targets as y"
            )
        inputs = others[0]
    return inputs, chosen


def _first(names: Sequence[str], splits: Sequence[str], known: Sequence[str]) -> str | None:
    plain = {name.lower().replace("_", "").replace("-", "").replace(" ", ""): name for name in names}
    # x_train and train_x are both in use.
    wanted = [order for split in splits for name in known for order in (name + split, split + name)]
    return next((plain[name.replace("_", "")] for name in wanted if name.replace("_", "") in plain), None)


Labels = NDArray[np.int64]
UNKNOWN = -1
"""The class number of a row whose label is missing."""


class Kind(Enum):
    """What a row is."""

    TABLE = "table"
    IMAGES = "images"
    SIGNALS = "signals"
    TOKENS = "tokens"


class Task(Enum):
    """What there is to predict."""

    CLASSES = "classes"
    NUMBERS = "numbers"
    NONE = "not checked"


@dataclass(frozen=True, eq=False)
class Part:
    """Training or validation rows."""

    name: str
    inputs: Array
    """Rows by anything, as given; of a table, numbers first and then words as codes."""
    rows: Rows
    total: int
    labels: Labels | None = None
    """Class numbers, the same in both parts."""
    given: Array | None = None
    """Targets as given."""
    items: tuple[str, ...] = ()
    broken: tuple[Row, ...] = ()

    @property
    def looked(self) -> int:
        """How many rows were looked at."""
        return len(self.rows)

    @cached_property
    def matrix(self) -> Array:
        """Rows by values."""
        return self.inputs.reshape(len(self.inputs), -1)

    def row(self, place: int, reason: str) -> Row:
        """A row by its place among those that were looked at."""
        item = self.items[place] if self.items else ""
        return Row(RowKind.SAMPLE, item, self.name, int(self.rows[place]), reason)


@dataclass(frozen=True, eq=False)
class Data:
    """Everything the checks ask."""

    training: Part
    validation: Part | None
    kind: Kind
    task: Task
    features: tuple[str, ...]
    """Names of the columns of the matrix."""
    words: NDArray[np.bool_]
    """Which columns are codes of words, whose size means nothing."""
    source: Raw
    """The training rows as they were read."""
    classes: tuple[str, ...] = ()
    parameters: int | None = None
    """Of the model that is to learn it, where it was given."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts there are."""
        return (self.training,) if self.validation is None else (self.training, self.validation)

    @property
    def numbers(self) -> NDArray[np.bool_]:
        """Which columns are numbers whose size means something."""
        return ~self.words

    def channels(self, part: Part) -> Floats:
        """Values by channel: the columns of a table, the colors of images, the shorter side of signals."""
        if self.kind is Kind.TABLE or part.inputs.ndim < 3:
            return part.matrix.astype(np.float64, copy=False)
        axis = channel_axis(part.inputs.shape)
        if axis is None:
            return part.inputs.reshape(-1, 1).astype(np.float64)
        moved = np.moveaxis(part.inputs, axis, -1)
        return moved.reshape(-1, moved.shape[-1]).astype(np.float64)

    @property
    def channel_names(self) -> tuple[str, ...]:
        """What the columns of `channels` are called."""
        if self.kind is Kind.TABLE or self.training.inputs.ndim < 3:
            return self.features
        axis = channel_axis(self.training.inputs.shape)
        return (
            ("all values",)
            if axis is None
            else tuple(f"channel {number}" for number in range(self.training.inputs.shape[axis]))
        )


def channel_axis(shape: tuple[int, ...]) -> int | None:
    """The axis of colors of images, or of quantities of signals; None where there is one channel only."""
    if len(shape) == 3:
        # Rows by steps by quantities, or by pixels: squares are pixels.
        return None if shape[1] == shape[2] else (1 if shape[1] < shape[2] else 2)
    return 1 if shape[1] in (1, 2, 3, 4) else len(shape) - 1 if shape[-1] in (1, 2, 3, 4) else None
