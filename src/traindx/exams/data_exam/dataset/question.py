"""The rows and columns that a finding names."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from traindx.exams.data_exam.dataset.data import Part
from traindx.finding import Row
from traindx.format import printable

MOST_ROWS = 10_000
"""Rows that a finding lists; how many there are stands in its sentence."""


def rows_at(part: Part, places: "NDArray[np.int64] | Iterable[int]", reason: str) -> tuple[Row, ...]:
    """Rows by their places, as many as are listed."""
    return tuple(part.row(int(place), reason) for place in list(places)[:MOST_ROWS])


def named(names: Iterable[str], most: int = 4) -> str:
    """The first names of columns and how many follow."""
    shown = [printable(name, 32) for name in names]
    head = ", ".join(shown[:most])
    return head if len(shown) <= most else f"{head} and {len(shown) - most} more"
