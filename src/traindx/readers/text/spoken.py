"""Which part of the data a text speaks of, where its lines do not say so themselves.

Test Error:                                          a heading: what follows was measured on test data
 Accuracy: 64.6%, Avg loss: 1.07
313/313 [=====] - 1s 2ms/step - loss: 0.39           a bar of Keras after the last epoch: an evaluation
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traindx.readers.text.clock import Clock
from traindx.readers.text.pattern import Place
from traindx.readers.text.remarks import Kind, Remark
from traindx.readers.text.sheet import Sheet
from traindx.run import Rows, Split

SPLITS: tuple[Split | None, ...] = (None, *Split)
"""The splits by number, for arrays; 0 where nothing is said."""


@dataclass(frozen=True, eq=False)
class Spoken:
    """Which part of the data the text speaks of, from line to line."""

    lines: Rows
    splits: Rows

    def at(self, lines: Rows) -> Rows:
        """Indexes into `SPLITS` for lines that do not say it themselves."""
        before = np.searchsorted(self.lines, lines) - 1
        spoken: Rows = np.where(before >= 0, self.splits[np.maximum(before, 0)], 0)
        return spoken


def spoken_of(
    remarks: Sequence[tuple[int, Remark]], stating: Sequence[Sheet], others: Sequence[Sheet]
) -> Spoken:
    """Headings, and lines that say it of themselves, speak for the lines after them up to the next record."""
    told = [(line, SPLITS.index(remark.split)) for line, remark in remarks if remark.kind is Kind.SPLIT]
    marks = [np.array(told, dtype=np.int64).reshape(-1, 2)]
    marks += [_marks(sheet, sheet.pattern.split) for sheet in others if sheet.pattern.split]
    marks += [_marks(sheet, None if sheet.pattern.pairs else sheet.pattern.split) for sheet in stating]
    lines, splits = np.concatenate(marks).T
    order = np.argsort(lines, kind="stable")
    return Spoken(lines[order], splits[order])


def _marks(sheet: Sheet, split: Split | None) -> Rows:
    return np.column_stack([sheet.lines, np.full(len(sheet), SPLITS.index(split), dtype=np.int64)])


def evaluations_of(sheets: Sequence[Sheet], clock: Clock) -> Rows:
    """The bars of Keras that begin after the bar of their epoch has ended: an evaluation."""
    bars = [(sheet, bar) for sheet in sheets if (bar := sheet.pattern.at(Place.PASS))]
    if not bars:
        return np.empty(0, dtype=np.int64)
    lines = np.concatenate([sheet.lines for sheet, _ in bars])
    order = np.argsort(lines)
    counts = np.concatenate([sheet.of(bar) for sheet, bar in bars])[order]
    totals = np.concatenate([sheet.total_of(bar) for sheet, bar in bars])[order]
    epochs = clock.before(lines[order])
    begins = np.append(False, (counts[1:] < counts[:-1]) | (totals[1:] != totals[:-1]))
    same = np.append(False, epochs[1:] == epochs[:-1])
    # Within an epoch: how many bars have begun since its first one.
    begun = np.cumsum(begins & same)
    first = np.maximum.accumulate(np.where(same, 0, begun))
    evaluating: Rows = lines[order][begun > first]
    return evaluating
