"""Foreign names to quantities, for all columns of one log together.

A name alone leaves questions open that the columns beside it answer: on which split a bare "accuracy" was
measured, and which of two columns of one quantity is the whole. A name may also be but the word for a part of
the data:

epoch 1 loss 0.98 val 0.95             val is the loss on validation data: the loss is what stands beside it
epoch 1 train 0.98 valid 0.95          both are losses: nothing else is named, and they fall
epoch 1 loss 1.95 train 0.25 val 0.22  scores: the loss has a name, and they rise
epoch 1 loss 0.98 acc 0.5 val 0.6      not told
epoch 1 loss 0.98 dev 45.2             no loss, by its size
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from traindx.format import listed
from traindx.quantities import TRAIN_LOSS, TRAIN_SCORE
from traindx.readers.names.vocabulary import Meaning, bare_split_of, meaning
from traindx.readers.names.whole_names import on_split, scores_of_a_reward_model
from traindx.readers.types import Column
from traindx.run import Axis, Floats, Quantity, Rows, Skipped, Split


@dataclass(frozen=True, eq=False)
class MappedColumn:
    """A column together with what it means."""

    column: Column
    means: Meaning

    @property
    def key(self) -> tuple[Quantity, str, str]:
        """What tells this column from the others of its run."""
        return self.means.quantity, self.means.part, self.means.layer


@dataclass(frozen=True, eq=False)
class Placement:
    """The columns that found a quantity, and those that did not."""

    placed: tuple[MappedColumn, ...] = ()
    unread: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()


def place(
    columns: Sequence[Column], names: Mapping[str, Quantity], split: Split | None = None, part: str = ""
) -> Placement:
    """Give each column its quantity: by the user's `names`, the format, or the vocabulary, in this order."""
    placed: list[MappedColumn] = []
    unread: list[Skipped] = []
    bare: list[Column] = []
    names = {**scores_of_a_reward_model(column.name for column in columns), **names}
    for column in columns:
        means = _meaning(column, names, split)
        if means is None and bare_split_of(column.name):
            bare.append(column)
            continue
        if means is None:
            why = "unknown metric name; place it with --map"
            unread.append(Skipped(column.name, len(column.values), why))
            continue
        placed.append(MappedColumn(column, replace(means, part=means.part or part)))
    notes: list[str] = []
    if bare:
        measured = _by_measure(bare, placed)
        unread += measured.unread
        notes += measured.notes
        placed += measured.placed
    settled = _with_splits_settled(placed, notes)
    return Placement(tuple(_told_apart(settled)), tuple(unread), tuple(notes))


def _meaning(column: Column, names: Mapping[str, Quantity], split: Split | None) -> Meaning | None:
    if column.name in names:
        return Meaning(names[column.name])
    if column.quantity is not None:
        return Meaning(column.quantity, column.part, column.layer)
    return meaning(column.name, column.split or split)


def _with_splits_settled(placed: Sequence[MappedColumn], notes: list[str]) -> list[MappedColumn]:
    """Settle the split of columns whose names tell none, by the columns they were written with."""
    telling = [p for p in placed if p.means.quantity.split is not None and not p.means.split_assumed]
    settled: list[MappedColumn] = []
    moved: dict[Split, list[str]] = {}
    for item in placed:
        split = _split_by_rows(item, telling)
        if split is None:
            settled.append(item)
            continue
        quantity = on_split(item.means.quantity, split)
        moved.setdefault(split, []).append(item.column.name)
        settled.append(MappedColumn(item.column, replace(item.means, quantity=quantity, split_assumed=False)))
    for split, names in moved.items():
        notes.append(f"read as {split.name.lower()} metrics because of their rows: {listed(names)}")
    return settled


def _split_by_rows(item: MappedColumn, telling: Sequence[MappedColumn]) -> Split | None:
    """The split a bare metric belongs to, or None to leave it with training."""
    quantity = item.means.quantity
    if not item.means.split_assumed or quantity.split is None:
        return None
    measure = quantity.family
    if measure in ("loss", "perplexity"):
        return None
    if any((t.means.quantity.family, t.means.part) == (measure, item.means.part) for t in telling):
        return None
    share_of = partial(_share_of_rows, item.column.rows, telling)
    if share_of(Split.TRAIN) > 0:
        # train_loss, val_loss and a bare metric in one row: people measure metrics on validation data.
        return Split.VALIDATION if share_of(Split.VALIDATION) > 0 else None
    if measure == "accuracy" and all(t.means.quantity.split is not Split.TRAIN for t in telling):
        return None  # loss, accuracy, val_loss: Keras' way to write training values
    return next((split for split in (Split.VALIDATION, Split.TEST) if share_of(split) == 1), None)


def _share_of_rows(rows: Rows, telling: Sequence[MappedColumn], split: Split) -> float:
    """The share of rows that also hold a column of a split."""
    alike = [t.column.rows for t in telling if t.means.quantity.split is split]
    met = [np.isin(rows, other, assume_unique=True) for other in alike]
    return float(np.mean(np.logical_or.reduce(met))) if met else 0.0


def _told_apart(placed: Sequence[MappedColumn]) -> list[MappedColumn]:
    """Give the columns that share a quantity parts of their own; the finest and longest stays the whole."""
    groups: dict[tuple[Quantity, str, str], list[MappedColumn]] = {}
    for item in placed:
        groups.setdefault(item.key, []).append(item)
    whole = {key: max(items, key=_fineness) for key, items in groups.items()}
    return [
        item
        if whole[item.key] is item
        else replace(item, means=replace(item.means, part=_part_of(item, groups)))
        for item in placed
    ]


def _fineness(item: MappedColumn) -> tuple[bool, int]:
    return item.means.grain != "epoch" and item.column.axis is not Axis.EPOCH, len(item.column.values)


def _part_of(item: MappedColumn, groups: Mapping[tuple[Quantity, str, str], list[MappedColumn]]) -> str:
    rivals = [other for other in groups[item.key] if other is not item]
    coarse = item.means.grain or (item.column.axis.value if item.column.axis is Axis.EPOCH else "")
    units = [other.means.grain or other.column.axis.value for other in rivals]
    label = coarse if coarse and coarse not in units else item.column.name
    return f"{item.means.part} {label}".strip()


@dataclass(frozen=True)
class _Measure:
    """Something that is measured on parts of the data."""

    quantity: Quantity
    part: str = ""

    @property
    def name(self) -> str:
        return self.part or self.quantity.family


def _by_measure(columns: Sequence[Column], others: Sequence[MappedColumn]) -> Placement:
    """Give columns such as `train` and `val` the one measure that the others leave open; else leave them."""
    splits = {split for column in columns if (split := bare_split_of(column.name))}
    open_to_all = _open_measures(splits, others)
    if len(open_to_all) > 1:
        measures = listed([measure.name for measure in open_to_all])
        return _left(columns, f"no metric in the name; may be {measures}")
    if not open_to_all:
        return _unnamed(columns, splits, others)
    measure = open_to_all[0]
    is_loss = measure.quantity.family == TRAIN_LOSS.family
    doubt = _doubt(columns, _column_of(measure, others)) if is_loss else ""
    if doubt:
        return _left(columns, f"no metric in the name, and {doubt}")
    return _as(measure, columns, "the metric logged next to them")


def _unnamed(columns: Sequence[Column], splits: set[Split], others: Sequence[MappedColumn]) -> Placement:
    """Losses or scores, by how the training's numbers go; `val` alone may as well be a value."""
    leading = next((c for c in columns if bare_split_of(c.name) is Split.TRAIN), None)
    if leading is None:
        return _left(columns, "no metric in the name")
    loss, score = _Measure(TRAIN_LOSS), _Measure(TRAIN_SCORE)
    lost = _takes(splits, loss, others)
    if _are_scores(columns, leading, 100 if lost else 1) and not _takes(splits, score, others):
        return _as(score, columns, "because they rise and stay in its range")
    if lost:
        return _left(columns, "no metric in the name, and the loss has another column")
    if doubt := _doubt(columns, None):
        return _left(columns, f"no metric in the name, and {doubt}")
    return _as(loss, columns, "because the name is only a data split")


def _as(measure: _Measure, columns: Sequence[Column], why: str) -> Placement:
    names = listed(list(dict.fromkeys(column.name for column in columns)))
    note = f"read as {measure.name}, {why}: {names}"
    return Placement(tuple(_placed(column, measure) for column in columns), notes=(note,))


def _left(columns: Sequence[Column], why: str) -> Placement:
    return Placement(
        unread=tuple(Skipped(c.name, len(c.values), f"{why}; place it with --map") for c in columns)
    )


def _placed(column: Column, measure: _Measure) -> MappedColumn:
    split = bare_split_of(column.name)
    assert split is not None
    return MappedColumn(column, Meaning(on_split(measure.quantity, split), measure.part))


def _open_measures(splits: set[Split], others: Sequence[MappedColumn]) -> list[_Measure]:
    """The measures in the log that are not yet taken on any of the splits."""
    measures = dict.fromkeys(_measured(p) for p in others if p.means.quantity.split)
    whole_loss = _Measure(TRAIN_LOSS)
    free = [measure for measure in measures if not _takes(splits, measure, others)]
    # Where there is a loss, its terms are not what a bare `val` stands for.
    return [m for m in free if m == whole_loss or m.quantity is not TRAIN_LOSS or whole_loss not in measures]


def _measured(placed: MappedColumn) -> _Measure:
    return _Measure(on_split(placed.means.quantity, Split.TRAIN), placed.means.part)


def _takes(splits: set[Split], measure: _Measure, others: Sequence[MappedColumn]) -> bool:
    """Whether a measure has a column of its own on one of the splits."""
    return any(p.means.quantity.split in splits and _measured(p) == measure for p in others)


def _column_of(measure: _Measure, others: Sequence[MappedColumn]) -> Column | None:
    alike = (p.column for p in others if p.means.quantity.split and _measured(p) == measure)
    return next(alike, None)


def _doubt(columns: Sequence[Column], beside: Column | None, *, most_apart: float = 8.0) -> str:
    """Why numbers are hardly losses: counts, scores, or far from the loss beside them from the start."""
    theirs = _finite(beside) if beside is not None else np.empty(0)
    for values in map(_finite, columns):
        if len(values) > 2 and bool(np.all(values == np.round(values))):
            return "all values are integers"
        if len(theirs) and len(values):
            ours, other = abs(float(values[0])), abs(float(theirs[0]))
            if not ours <= most_apart * other <= most_apart**2 * ours:
                return "it is far from the loss in the next column"
    leading = _finite(next((c for c in columns if bare_split_of(c.name) is Split.TRAIN), columns[0]))
    # A validation loss may rise, but then it mostly fell before.
    if beside is not None and len(leading) and float(leading.min()) < 0.98 * float(leading[0]):
        return ""
    # A training loss that rises diverges, and soon leaves the range of a score.
    return "it rises like a score" if _rises_within(leading, 100 if beside is None else 1) else ""


def _finite(column: Column) -> Floats:
    return column.values[np.isfinite(column.values)]


def _are_scores(columns: Sequence[Column], leading: Column, most: float) -> bool:
    """Whether all lie within the range of a score, and the training's rise."""
    inside = all(bool(np.all((column.values >= 0) & (column.values <= most))) for column in columns)
    return inside and _rises_within(_finite(leading), most)


def _rises_within(values: Floats, most: float, *, least: int = 3) -> bool:
    """Whether the last third of numbers from 0 up to a limit lies above the first."""
    third = len(values) // 3
    if len(values) < least or float(values.min()) < 0 or float(values.max()) > most:
        return False
    return float(np.median(values[-third:])) > float(np.median(values[:third]))
