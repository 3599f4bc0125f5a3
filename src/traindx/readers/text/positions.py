"""Where in the run every line of a log stands, and how far the run was meant to go.

Epoch [2/10], Step [100/600]      step 700: steps that start over in each epoch are counted through
Train Epoch: 2 [640/60000 (1%)]   sample 60640
EPOCH 7 done: loss 0.5188         epoch 7

How far a run was meant to go, where its lines count so many of so many.

step 25/5000 loss 2.31                 5000 steps
Epoch 3/10, loss 0.52                  10 epochs
Epoch 3/10, step 25/600                10 epochs; the 600 are those of one epoch
 10%|#| 50/500 [00:10<01:30, loss=0.9] 500 steps, unless the bar begins anew in each epoch
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traindx.readers.text.patterns import Mask, Place, Position, Sheet
from traindx.run import Axis, Floats, Rows, Scalar, Split

AXES = (Axis.STEP, Axis.EPOCH, Axis.SAMPLE, Axis.RECORD)
_STEP, _EPOCH, _SAMPLE = range(3)
_MOST = 1e15
"""No run counts as far as this: a larger number is no position."""


@dataclass(frozen=True, eq=False)
class Clock:
    """The lines that state a position, in order."""

    lines: Rows
    axes: Rows
    """Indexes into `AXES`: what each position counts."""
    positions: Floats
    headings: Mask
    """Whether a line states its position and nothing else: what follows belongs to it."""

    def __len__(self) -> int:
        """Count the lines."""
        return len(self.lines)

    def before(self, lines: Rows) -> Rows:
        """For each line the index of the last position at or before it; -1 where there is none."""
        indices: Rows = np.searchsorted(self.lines, lines, side="right").astype(np.int64) - 1
        return indices


@dataclass(frozen=True, eq=False)
class _Counts:
    """What the lines count, each column NaN where a line does not say."""

    lines: Rows
    headings: Mask
    epoch: Floats
    step: Floats
    step_total: Floats
    batch: Floats
    batch_total: Floats
    seen: Floats
    seen_total: Floats
    samples: Floats
    ended: Floats
    """1 where a line was left standing, NaN where the next one was drawn over it."""


def clock_of(sheets: Sequence[Sheet]) -> Clock:
    """The positions that lines state, counted through over the whole run."""
    counts = _counts(sheets)
    epochs = _carried(counts.epoch)
    axes = np.full(len(counts.lines), _EPOCH)
    positions = counts.epoch.copy()
    named = np.isfinite(counts.samples) & ~np.isfinite(counts.epoch)
    axes[named], positions[named] = _SAMPLE, counts.samples[named]
    counted = np.isfinite(counts.seen)
    samples = _counted_through(epochs, counts.seen, counts.seen_total, counts.ended)
    axes[counted], positions[counted] = _SAMPLE, samples[counted]
    batches = np.isfinite(counts.batch)
    axes[batches] = _STEP
    positions[batches] = _counted_through(epochs, counts.batch, counts.batch_total, counts.ended)[batches]
    steps = np.isfinite(counts.step)
    through = counts.step
    if _starts_over(epochs[steps], counts.step[steps]):
        through = _counted_through(epochs, counts.step, counts.step_total, counts.ended)
    axes[steps], positions[steps] = _STEP, through[steps]
    return Clock(counts.lines, axes, positions, counts.headings)


def _counts(sheets: Sequence[Sheet]) -> _Counts:
    no_epochs = not any(sheet.pattern.at(Place.EPOCH) for sheet in sheets)
    nothing = np.empty(0)
    blank = _Counts(nothing.astype(np.int64), nothing.astype(np.bool_), *[nothing] * 9)
    parts = [blank, *(_part(sheet, no_epochs) for sheet in sheets)]
    lines, headings, *counts = map(np.concatenate, zip(*(vars(part).values() for part in parts), strict=True))
    counts = [np.where(np.abs(count) < _MOST, count, np.nan) for count in counts]
    order = np.argsort(lines, kind="stable")
    stated = order[np.any([np.isfinite(count[order]) for count in counts[:-1]], axis=0)]
    return _Counts(lines[stated], headings[stated], *(count[stated] for count in counts))


def _part(sheet: Sheet, no_epochs: bool) -> _Counts:
    at = sheet.pattern.at
    step = at(Place.STEP, Place.LEAD)
    batch = at(Place.BATCH, Place.BAR, *([Place.PASS] if no_epochs else []))
    samples = at(Place.SAMPLES)
    # A count of samples without a name, such as [640/60000], starts over in each epoch.
    nameless = samples if samples and samples.total is not None else None
    return _Counts(
        sheet.lines,
        np.full(len(sheet), not sheet.pattern.pairs),
        sheet.of(at(Place.EPOCH)),
        sheet.of(step),
        sheet.total_of(step),
        sheet.of(None if step else batch),
        sheet.total_of(None if step else batch),
        sheet.of(nameless),
        sheet.total_of(nameless),
        sheet.of(None if nameless else samples),
        np.where(sheet.redrawn, np.nan, 1.0),
    )


def _carried(values: Floats) -> Floats:
    """Each blank takes the value before it."""
    last = np.maximum.accumulate(np.where(np.isfinite(values), np.arange(len(values)), -1))
    return np.where(last >= 0, values[np.maximum(last, 0)], np.nan)


def _starts_over(epochs: Floats, steps: Floats) -> bool:
    """Whether steps mostly fall where epochs rise."""
    rises = np.diff(epochs) > 0
    falls = rises & (np.diff(steps) <= 0)
    return int(np.count_nonzero(falls)) * 2 > int(np.count_nonzero(rises))


def _counted_through(epochs: Floats, counts: Floats, totals: Floats, ended: Floats) -> Floats:
    """Counts that start over in each epoch, counted from the start of the run."""
    finite = np.isfinite(counts)
    if not bool(finite.any()):
        return counts
    through = counts.copy()
    rows = np.flatnonzero(finite)
    whole = np.where(np.isfinite(totals[rows]), totals[rows], _guessed_total(counts[rows]))
    known = np.isfinite(epochs[rows])
    base = 0.0 if bool(np.any(epochs[rows][known] == 0)) else 1.0
    rounds = np.where(known, epochs[rows] - base, _passes(counts[rows], whole, ended[rows]))
    through[rows] = np.floor(rounds) * whole + counts[rows]
    return through


def _guessed_total(counts: Floats) -> float:
    """How many there are in an epoch, where the log does not say: up to the last one it mentions."""
    distinct = np.unique(counts)
    gap = float(np.diff(distinct).min()) if len(distinct) > 1 else 1.0
    return float(distinct[-1]) + (gap if distinct[0] == 0 else 0.0)


def _passes(counts: Floats, totals: Floats, ended: Floats) -> Floats:
    """How many full passes ended before each count, where no epoch is named; none if one was broken off."""
    again = (np.diff(counts) == 0) & (counts[:-1] == totals[:-1]) & np.isfinite(ended[:-1])
    back = np.flatnonzero((np.diff(counts) < 0) | again) + 1
    finished = back[counts[back - 1] >= 0.9 * totals[back - 1]]
    if len(finished) < len(back):
        return np.zeros(len(counts))
    passes: Floats = np.searchsorted(finished, np.arange(len(counts)), side="right").astype(np.float64)
    return passes


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
    positions = [
        (s, p) for s in sheets for p in s.pattern.positions if p.place in places and p.total is not None
    ]
    return _counts_of_totals(positions)


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
    return len(np.unique(under)) < 2 or _starts_over(under, steps.counts)
