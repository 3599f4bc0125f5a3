"""Where a run was resumed or started over: the rows at which its steps go back.

Each column that goes back does so somewhere between two of its rows. The fewest cuts that explain all of
them are the boundaries (stabbing intervals, greedily by their right ends), so a validation row written
before the first training row of a restart belongs to the restart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traindx.readers.types import Column
from traindx.run import Floats, Rows


@dataclass(frozen=True)
class Going:
    """How the rows of a log follow each other."""

    starts: tuple[int, ...]
    """The first row of each segment; always holds the first row of all."""
    ordered: bool = True
    """False where rows follow no order of steps at all, so that going back means nothing."""


def segments_of(columns: Sequence[Column]) -> Going:
    """The rows at which segments begin."""
    if not columns:
        return Going(starts=(0,))
    first = min(int(column.rows[0]) for column in columns)
    cuts = _fewest_cuts(_setbacks(columns))
    longest = max(columns, key=lambda column: len(column.values))
    # A log whose longest column goes back after every other point was never in order of steps.
    if len(cuts) + 1 > max(2, len(longest.values) / 2):
        return Going(starts=(first,), ordered=False)
    return Going(starts=(first, *_without_echoes(columns, cuts)))


def _setbacks(columns: Sequence[Column]) -> list[tuple[int, int]]:
    """The pairs of rows between which some column goes back."""
    pairs: list[tuple[int, int]] = []
    for column in columns:
        back = np.flatnonzero(column.steps[1:] < column.steps[:-1])
        pairs.extend(zip(column.rows[back].tolist(), column.rows[back + 1].tolist(), strict=True))
    return pairs


def _fewest_cuts(pairs: list[tuple[int, int]]) -> list[int]:
    cuts: list[int] = []
    for before, after in sorted(pairs, key=lambda pair: pair[1]):
        if not cuts or cuts[-1] <= before:
            cuts.append(after)
    return cuts


def _without_echoes(columns: Sequence[Column], cuts: Sequence[int]) -> list[int]:
    """Drop the cuts after which nothing but what was already written is written again."""
    if not cuts:
        return []
    real: list[int] = []
    fresh = [(column, _is_first_writing(column)) for column in columns]
    for cut, end in zip(cuts, (*cuts[1:], None), strict=True):
        if any(_repeats_with_new_values(column, mask, cut, end) for column, mask in fresh):
            real.append(cut)
    return real


def _repeats_with_new_values(column: Column, fresh: Rows, start: int, end: int | None) -> bool:
    low = int(np.searchsorted(column.rows, start))
    high = len(column.rows) if end is None else int(np.searchsorted(column.rows, end))
    steps = column.steps[low:high][fresh[low:high].astype(bool)]
    return low > 0 and len(steps) > 0 and float(steps.min()) <= float(column.steps[:low].max())


def _is_first_writing(column: Column) -> Rows:
    """1 for each point whose step and value did not stand in the column before."""
    pairs = np.empty(len(column.steps), dtype=[("step", np.float64), ("bits", np.int64)])
    pairs["step"] = column.steps
    pairs["bits"] = np.ascontiguousarray(column.values).view(np.int64)  # so that NaN equals NaN
    _, first = np.unique(pairs, return_index=True)
    mask = np.zeros(len(pairs), dtype=np.int64)
    mask[first] = 1
    return mask


def increasing(steps: Floats) -> bool:
    """Whether each step is above the one before."""
    return len(steps) < 2 or bool(np.all(steps[1:] > steps[:-1]))


def last_of_each_step(steps: Floats) -> Rows:
    """The indexes that put steps in increasing order, keeping the last written of equal ones."""
    order: Rows = np.argsort(steps, kind="stable").astype(np.int64)
    ordered = steps[order]
    last: Rows = order[np.append(ordered[1:] != ordered[:-1], True)]
    return last
