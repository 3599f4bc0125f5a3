"""One part of a data set as its source gave it, before anything is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from traindx.finding import Row
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
