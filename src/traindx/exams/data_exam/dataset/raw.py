"""One part of a data set as its source gave it, and which of its names are inputs and target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from traindx.errors import TraindxError, UnknownNameError
from traindx.finding import Row
from traindx.format import listed, printable
from traindx.run import Rows

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


def thinned(inputs: Array) -> Array:
    """Images and signals of very many values with every n-th of each long dimension."""
    shape = list(inputs.shape[1:])
    if len(shape) < 2 or np.prod(shape) <= _MOST_POSITIONS:
        return inputs
    excess = np.prod(shape) / _MOST_POSITIONS
    long = [place for place, size in enumerate(shape) if size > 4]
    step = ceil(excess ** (1 / max(len(long), 1)))
    return inputs[(slice(None), *(slice(None, None, step if at in long else 1) for at in range(len(shape))))]


_TARGETS = ("y", "label", "labels", "target", "targets", "class", "classes", "category", "outcome")
_INPUTS = (
    "x",
    "input",
    "inputs",
    "data",
    "features",
    "image",
    "images",
    "pixel_values",
    "input_ids",
    "tokens",
)
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
        raise TraindxError(f'{printable(where)}: has no column "{printable(wanted, 60)}"; it has {shown}')
    for known in _TARGETS:
        for name in names:
            if name.strip().lower() == known:
                return name, (
                    f"target: the column {printable(name, 40)}, by its name; --target names another",
                )
    if len(names) < 2:
        return "", ("no target: there is a single column",)
    return names[-1], (
        f"target: {printable(names[-1], 40)}, the last column, as a guess; --target names another",
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
            raise TraindxError(f"{where}: which of {shown} holds the inputs? save them as x and y")
        inputs = others[0]
    return inputs, chosen


def _first(names: Sequence[str], splits: Sequence[str], known: Sequence[str]) -> str | None:
    plain = {name.lower().replace("_", "").replace("-", "").replace(" ", ""): name for name in names}
    # x_train and train_x are both in use.
    wanted = [order for split in splits for one in known for order in (one + split, split + one)]
    return next((plain[one.replace("_", "")] for one in wanted if one.replace("_", "") in plain), None)
