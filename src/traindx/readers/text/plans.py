"""How far a run was meant to go, where its lines count so many of so many.

step 25/5000 loss 2.31                 5000 steps
Epoch 3/10, loss 0.52                  10 epochs
Epoch 3/10, step 25/600                10 epochs; the 600 are those of one epoch
 10%|#| 50/500 [00:10<01:30, loss=0.9] 500 steps, unless the bar begins anew in each epoch
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traindx.readers.text.clock import starts_over
from traindx.readers.text.pattern import Place, Position
from traindx.readers.text.sheet import Sheet
from traindx.run import Floats, Rows, Scalar, Split

_WHOLE_RUN = (Place.STEP, Place.LEAD, Place.BAR)
_MOST_PLANNED = 1e12
_ENDED = 0.9
"""A count that got as far as this share of its total before it began anew had ended."""


def plans_of(sheets: Sequence[Sheet]) -> dict[str, Scalar]:
    """The steps and epochs that all lines agree the run was to take, as settings of the run."""
    training = [sheet for sheet in sheets if sheet.pattern.split in (None, Split.TRAIN)]
    epochs, steps = _counts_of_so_many(training, Place.EPOCH), _counts_of_so_many(training, *_WHOLE_RUN)
    plans: dict[str, Scalar] = {}
    if (total := _agreed(epochs)) is not None:
        # Epoch 0/9 up to Epoch 9/9 are ten.
        from_zero = float(epochs.counts.min()) == 0 and float(epochs.counts.max()) == total
        plans["planned_epochs"] = total + from_zero
    if (total := _agreed(steps)) is not None and not _begins_anew(steps, training):
        plans["planned_steps"] = total
    return plans


@dataclass(frozen=True, eq=False)
class _CountsOfTotals:
    """The lines that count something, in order."""

    lines: Rows
    counts: Floats
    totals: Floats


def _counts_of_so_many(sheets: Sequence[Sheet], *places: Place) -> _CountsOfTotals:
    told = [(s, p) for s in sheets for p in s.pattern.positions if p.place in places and p.total is not None]
    return _counts_of_totals(told)


def _counts_of_totals(counting: Sequence[tuple[Sheet, Position]]) -> _CountsOfTotals:
    nothing = np.empty(0)
    lines: Rows = np.concatenate([nothing.astype(np.int64), *(sheet.lines for sheet, _ in counting)])
    counts: Floats = np.concatenate([nothing, *(sheet.of(at) for sheet, at in counting)])
    totals: Floats = np.concatenate([nothing, *(sheet.total_of(at) for sheet, at in counting)])
    order = np.argsort(lines, kind="stable")
    return _CountsOfTotals(lines[order], counts[order], totals[order])


def _agreed(stated: _CountsOfTotals) -> int | None:
    """The one total that all lines state, if none goes beyond it."""
    counts, totals = stated.counts, stated.totals
    if not len(totals) or not bool(np.all((totals == totals[0]) & (counts <= totals))):
        return None
    total = float(totals[0])
    return int(total) if 2 <= total < _MOST_PLANNED and total == round(total) else None


def _begins_anew(steps: _CountsOfTotals, sheets: Sequence[Sheet]) -> bool:
    """Whether steps are counted within each epoch; also where one epoch is all there is to tell it by."""
    back = np.flatnonzero(np.diff(steps.counts) < 0)
    if bool(np.any(steps.counts[back] >= _ENDED * steps.totals[back])):
        return True
    epochs = _counts_of_totals([(sheet, at) for sheet in sheets if (at := sheet.pattern.at(Place.EPOCH))])
    if not len(epochs.lines):
        return False
    before = np.searchsorted(epochs.lines, steps.lines, side="right") - 1
    under = epochs.counts[np.maximum(before, 0)]
    return len(np.unique(under)) < 2 or starts_over(under, steps.counts)
