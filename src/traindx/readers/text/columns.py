"""The records of a text log to columns: one per name, split, axis and kind of line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from traindx.quantities import MEMORY, WALL_TIME
from traindx.readers.names.vocabulary import axis_of, meaning, split_of
from traindx.readers.tabular.numbers import are_stamps, in_seconds
from traindx.readers.text.names import tells_split
from traindx.readers.text.patterns import THOUSANDS, Mask, Pair, Place
from traindx.readers.text.positions import AXES
from traindx.readers.text.records import PositionedSheet
from traindx.readers.types import SPLITS, Column
from traindx.run import Axis, Floats, Rows, Skipped, Split

_SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec"), 1e-3),
    **dict.fromkeys(("us", "\u00b5s", "\u03bcs"), 1e-6),
    **dict.fromkeys(("min", "mins", "m"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hours"), 3600.0),
}


def _scale_of(pair: Pair) -> float:
    """What a number has to be multiplied with: 24.5K tokens are 24500, but 300M of memory stay 300."""
    means = meaning(pair.name)
    if pair.unit not in THOUSANDS or (means is not None and means.quantity is MEMORY):
        return 1.0
    return THOUSANDS[pair.unit]


def _seconds_in(unit: str) -> float | None:
    """How many seconds a unit of time is; None if it is none."""
    return _SECONDS.get(unit)


_MOST_LABELS = 6
_STAMP_NAMES = frozenset(("ts", "time", "timestamp", "_timestamp", "time_stamp", "unix_time", "epoch_time"))


@dataclass(frozen=True)
class _Key:
    name: str
    split: Split | None
    axis: Axis
    label: str


@dataclass(frozen=True, eq=False)
class _Lines:
    """Lines of one shape that are placed in one way; what stands in them shares these arrays."""

    lines: Rows
    rows: Rows
    positions: Floats
    passing: Mask
    """Whether a line only stood there until the next one was drawn over it."""
    times: Floats
    epochs: Floats
    """The epoch that each line states, NaN where it states none."""

    def at(self, which: Mask | Rows) -> "_Lines":
        """Some of the lines, or all in another order."""
        return _Lines(*(array[which] for array in vars(self).values()))


@dataclass(frozen=True, eq=False)
class _Piece:
    """The numbers of one name in lines of one shape."""

    key: _Key
    at: _Lines
    values: Floats
    unit: str
    shown: bool
    """Whether a bar shows the value on and on until there is a new one."""


def columns_of_records(placed: Sequence[PositionedSheet]) -> tuple[tuple[Column, ...], tuple[Skipped, ...]]:
    """Put together what belongs together."""
    pieces = [piece for part in placed for piece in _pieces(part)]
    groups: dict[_Key, list[_Piece]] = {}
    for piece in _with_plain_names(pieces):
        groups.setdefault(replace(piece.key, label=""), []).append(piece)
    ordered = sorted(groups.values(), key=lambda group: min(int(piece.at.lines[0]) for piece in group))
    return tuple(_column(group) for group in ordered), _summaries(placed)


def _pieces(placed: PositionedSheet) -> Iterator[_Piece]:
    if _is_summary(placed):
        return
    counters = _counters(placed)
    pattern = placed.sheet.pattern
    bar = pattern.at(Place.BAR) is not None
    lines = _lines(placed)
    label = pattern.label or ("summary" if placed.summary else "")
    for axis in np.unique(placed.axes):
        for spoken in np.unique(placed.splits[placed.axes == axis]):
            mask = (placed.axes == axis) & (placed.splits == spoken)
            whole = bool(mask.all())  # a long log must not be copied often
            at = lines if whole else lines.at(mask)
            for pair in (*pattern.pairs, *counters):
                split = pair.split or (None if tells_split(pair.name) else SPLITS[spoken])
                key = _Key(pair.name, split, AXES[axis], "" if pair in counters else label)
                shown = bar and (split or split_of(pair.name)) in (Split.VALIDATION, Split.TEST)
                values = _values(placed, pair)
                yield _Piece(key, at, values if whole else values[mask], pair.unit, shown)


def _lines(placed: PositionedSheet) -> _Lines:
    sheet = placed.sheet
    return _Lines(
        sheet.lines,
        placed.rows,
        placed.positions,
        sheet.redrawn | sheet.pattern.running,
        sheet.times,
        sheet.of(sheet.pattern.at(Place.EPOCH)),
    )


def _values(placed: PositionedSheet, pair: Pair) -> Floats:
    numbers = placed.sheet.numbers
    with np.errstate(all="ignore"):  # 0/0 is NaN, which is data
        factor = pair.sign * _scale_of(pair)
        values = numbers[pair.hole] if factor == 1 else numbers[pair.hole] * factor
        if pair.total is None or not _are_shares(values, numbers[pair.total]):
            return values
        return 100 * values / numbers[pair.total]


def _are_shares(counts: Floats, totals: Floats) -> bool:
    """Whether numbers are so many of so many: acc 0.50/0.48 is two accuracies."""
    finite = np.isfinite(counts) & np.isfinite(totals)
    return bool(np.all((counts <= totals)[finite] & (totals == np.round(totals))[finite]))


def _counters(placed: PositionedSheet) -> list[Pair]:
    """The positions of a line that are not the one it is placed by, such as the epoch beside the step."""
    at = placed.sheet.pattern.at
    used = at(Place.STEP, Place.LEAD, Place.BATCH, Place.BAR, Place.EPOCH, Place.SAMPLES)
    return [
        Pair(p.name, p.hole, unit=p.unit)
        for p in placed.sheet.pattern.positions
        if p is not used and p.place in (Place.EPOCH, Place.SAMPLES) and axis_of(p.name)
    ]


def _is_summary(placed: PositionedSheet) -> bool:
    return any(pair.name == "train_runtime" for pair in placed.sheet.pattern.pairs)


def _summaries(placed: Iterable[PositionedSheet]) -> tuple[Skipped, ...]:
    """The line the Hugging Face Trainer ends with: its loss is the mean of the whole run."""
    count = sum(len(p.sheet) for p in placed if _is_summary(p))
    return (Skipped("train_loss", count, "mean over the whole run, logged at the end"),) if count else ()


def _with_plain_names(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """Put the words that tell kinds of lines apart before the names, where two kinds share a name."""
    counts: dict[_Key, dict[str, int]] = {}
    for piece in pieces:
        labels = counts.setdefault(replace(piece.key, label=""), {})
        labels[piece.key.label] = labels.get(piece.key.label, 0) + len(piece.values)
    for piece in pieces:
        labels = counts[replace(piece.key, label="")]
        plain = "" if "" in labels else max(labels, key=lambda label: labels[label])
        if (
            piece.key.label == plain
            or len(labels) > _MOST_LABELS
            or (not plain and split_of(piece.key.label))
        ):
            yield piece
        elif piece.key.axis is Axis.STEP and _is_one_per_epoch(piece.at.epochs):
            # One line per epoch beside lines per step: a summary of the epoch.
            key = replace(piece.key, axis=Axis.EPOCH, label="")
            yield replace(piece, key=key, at=replace(piece.at, positions=piece.at.epochs))
        else:
            yield replace(piece, key=replace(piece.key, name=f"{piece.key.label} {piece.key.name}"))


def _is_one_per_epoch(epochs: Floats) -> bool:
    return bool(np.isfinite(epochs).all()) and bool((epochs[1:] > epochs[:-1]).all())


def _column(pieces: Sequence[_Piece]) -> Column:
    key = pieces[0].key
    at, values = _joined(_in_one_unit(pieces))
    shown = any(piece.shown for piece in pieces)
    if shown or bool(at.passing.any()):
        keep = np.arange(len(values))
        if shown:
            bits = np.ascontiguousarray(values).view(np.int64)  # so that NaN equals NaN
            keep = keep[np.append(True, bits[1:] != bits[:-1])]
        keep = keep[np.append(~at.passing[keep][:-1] | (np.diff(at.positions[keep]) != 0), True)]
        at, values = at.at(keep), values[keep]
    stamps = key.name.lower() in _STAMP_NAMES and are_stamps(values)
    return Column(
        name=key.name,
        values=in_seconds(values) if stamps else values,
        steps=at.positions,
        rows=at.rows,
        axis=key.axis,
        times=at.times if bool(np.isfinite(at.times).all()) else None,
        split=key.split,
        quantity=WALL_TIME if stamps else None,
    )


def _joined(pieces: Sequence[_Piece]) -> tuple[_Lines, Floats]:
    """The lines and values of all pieces, in the order of writing."""
    if len(pieces) == 1:
        return pieces[0].at, pieces[0].values
    arrays = zip(*(vars(piece.at).values() for piece in pieces), strict=True)
    at = _Lines(*map(np.concatenate, arrays))
    order = np.argsort(at.lines, kind="stable")
    return at.at(order), np.concatenate([piece.values for piece in pieces])[order]


def _in_one_unit(pieces: Sequence[_Piece]) -> Sequence[_Piece]:
    """Seconds for all, where some lines print milliseconds and others seconds."""
    units = {piece.unit for piece in pieces}
    if len(units) == 1 or any(_seconds_in(unit) is None for unit in units):
        return pieces
    return [replace(piece, values=piece.values * (_seconds_in(piece.unit) or 1.0)) for piece in pieces]
