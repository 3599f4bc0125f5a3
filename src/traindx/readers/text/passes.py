"""Passes over held-out data that count their batches just as the training does.

Epoch 1/2
step 938/938 - loss: 0.51
Eval begin...
step 157/157 - loss: 0.32         no step of the training: it follows the word, and counts to another total
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from traindx.readers.text.pattern import Pattern, Place
from traindx.readers.text.remarks import Kind, Remark
from traindx.readers.text.sheet import Sheet
from traindx.readers.text.spoken import SPLITS
from traindx.run import Rows, Split

_COUNTED = (Place.STEP, Place.BATCH, Place.BAR)


def with_passes_apart(sheets: Sequence[Sheet], remarks: Sequence[tuple[int, Remark]]) -> list[Sheet]:
    """Part the lines of a pass from those of the training that have the same shape."""
    headings = _headings(sheets, remarks)
    if not len(headings):
        return list(sheets)
    return [part for sheet in sheets for part in _parts(sheet, headings) if len(part)]


def _headings(sheets: Sequence[Sheet], remarks: Sequence[tuple[int, Remark]]) -> Rows:
    """The lines that announce a part of the data, and 0 for those that begin an epoch; none without both."""
    told = [(line, SPLITS.index(remark.split)) for line, remark in remarks if remark.kind is Kind.SPLIT]
    epochs = [s.lines for s in sheets if not s.pattern.pairs and s.pattern.at(Place.EPOCH)]
    if not told or not epochs:
        return np.empty((0, 2), dtype=np.int64)
    begins = np.concatenate(epochs)
    both = np.concatenate([np.array(told), np.column_stack([begins, np.zeros(len(begins), dtype=np.int64)])])
    ordered: Rows = both[np.argsort(both[:, 0], kind="stable")]
    return ordered


def _parts(sheet: Sheet, headings: Rows) -> list[Sheet]:
    counted = sheet.pattern.at(*_COUNTED)
    if not sheet.pattern.pairs or sheet.pattern.split or counted is None or counted.total is None:
        return [sheet]
    before = np.searchsorted(headings[:, 0], sheet.lines) - 1
    spoken = np.where(before >= 0, headings[np.maximum(before, 0), 1], 0)
    totals = sheet.total_of(counted)
    trained = totals[(spoken == 0) | (spoken == SPLITS.index(Split.TRAIN))]
    parts = [sheet]
    for split in (Split.VALIDATION, Split.TEST):
        held_out = (spoken == SPLITS.index(split)) & ~np.isin(totals, trained)
        if len(trained) and bool(held_out.any()):
            passed = replace(sheet.where(held_out), pattern=_pass(sheet.pattern, split))
            parts = [parts[0].where(~np.isin(parts[0].lines, passed.lines)), *parts[1:], passed]
    return parts


def _pass(pattern: Pattern, split: Split) -> Pattern:
    return replace(
        pattern,
        positions=tuple(p for p in pattern.positions if p.place not in _COUNTED),
        pairs=tuple(replace(pair, split=pair.split or split) for pair in pattern.pairs),
        split=split,
        running=True,
    )
