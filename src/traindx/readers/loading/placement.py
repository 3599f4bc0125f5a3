"""Foreign names to quantities, for all columns of one log together.

A name alone leaves three questions open that its company answers: on which split a bare "accuracy" was
measured, whether "test" serves as validation, and which of two columns of one quantity is the whole.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from traindx.format import listed
from traindx.readers.loading.bare_splits import MappedColumn, by_measure, measure_of, other_split
from traindx.readers.names.vocabulary import Meaning, bare_split_of, meaning
from traindx.readers.types import Column
from traindx.run import Axis, Floats, Quantity, Rows, Series, Skipped, Split


@dataclass(frozen=True, eq=False)
class Placement:
    """The columns that found a quantity, and those that did not."""

    placed: tuple[MappedColumn, ...]
    unread: tuple[Skipped, ...]
    notes: tuple[str, ...]


def place(
    columns: Iterable[Column], names: Mapping[str, Quantity], split: Split | None = None, part: str = ""
) -> Placement:
    """Give each column its quantity: by the user's `names`, the format, or the vocabulary, in this order."""
    placed: list[MappedColumn] = []
    unread: list[Skipped] = []
    bare: list[Column] = []
    for column in columns:
        means = _meaning(column, names, split)
        if means is None and bare_split_of(column.name):
            bare.append(column)
            continue
        if means is None:
            why = "its name is not known; --map can place it"
            unread.append(Skipped(column.name, len(column.values), why))
            continue
        placed.append(MappedColumn(column, replace(means, part=means.part or part)))
    notes: list[str] = []
    if bare:
        measured = by_measure(bare, placed)
        unread += measured.unread
        notes += measured.notes
        placed += measured.placed
    settled = _by_company(placed, notes)
    return Placement(tuple(_told_apart(settled)), tuple(unread), tuple(notes))


def _meaning(column: Column, names: Mapping[str, Quantity], split: Split | None) -> Meaning | None:
    if column.name in names:
        return Meaning(names[column.name])
    if column.quantity is not None:
        return Meaning(column.quantity, column.part, column.layer)
    return meaning(column.name, column.split or split)


def _by_company(placed: Sequence[MappedColumn], notes: list[str]) -> list[MappedColumn]:
    """Settle the split of columns whose names tell none, by the columns they were written with."""
    company = _Company(
        told=tuple(p for p in placed if p.means.quantity.split is not None and not p.means.split_assumed)
    )
    settled: list[MappedColumn] = []
    moved: dict[Split, list[str]] = {}
    for item in placed:
        split = _split_by_company(item, company)
        if split is None:
            settled.append(item)
            continue
        quantity = other_split(item.means.quantity, split)
        moved.setdefault(split, []).append(item.column.name)
        settled.append(MappedColumn(item.column, replace(item.means, quantity=quantity, split_assumed=False)))
    for split, names in moved.items():
        notes.append(f"taken as {split.name.lower()} metrics by the rows they stand in: {listed(names)}")
    return settled


@dataclass(frozen=True, eq=False)
class _Company:
    """The columns whose names tell their split."""

    told: tuple[MappedColumn, ...]

    def measures(self, quantity: Quantity, part: str) -> bool:
        """Whether a column of the same measure tells its split."""
        return any(
            (measure_of(t.means.quantity), t.means.part) == (measure_of(quantity), part) for t in self.told
        )

    def has(self, split: Split) -> bool:
        """Whether any column tells this split."""
        return any(t.means.quantity.split is split for t in self.told)

    def share_of_rows(self, rows: Rows, split: Split) -> float:
        """The share of rows that also hold a column of a split."""
        alike = [t.column.rows for t in self.told if t.means.quantity.split is split]
        met = [np.isin(rows, other, assume_unique=True) for other in alike]
        return float(np.mean(np.logical_or.reduce(met))) if met else 0.0


def _split_by_company(item: MappedColumn, company: _Company) -> Split | None:
    """The split a bare metric belongs to, or None to leave it with training."""
    quantity = item.means.quantity
    if not item.means.split_assumed or quantity.split is None:
        return None
    if measure_of(quantity) in ("loss", "perplexity") or company.measures(quantity, item.means.part):
        return None
    rows = item.column.rows
    if company.share_of_rows(rows, Split.TRAIN) > 0:
        # train_loss, val_loss and a bare metric in one row: people measure metrics on validation data.
        return Split.VALIDATION if company.share_of_rows(rows, Split.VALIDATION) > 0 else None
    if not company.has(Split.TRAIN) and measure_of(quantity) == "accuracy":
        return None  # loss, accuracy, val_loss: Keras' way to write training values
    held_out = (Split.VALIDATION, Split.TEST)
    return next((split for split in held_out if company.share_of_rows(rows, split) == 1), None)


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
    told = [other.means.grain or other.column.axis.value for other in rivals]
    label = coarse if coarse and coarse not in told else item.column.name
    return f"{item.means.part} {label}".strip()


def promoted(series: Sequence[Series], notes: list[str]) -> tuple[Series, ...]:
    """Read test series as validation where a run measures test data all along and has no validation."""
    if any(s.quantity.split is Split.VALIDATION for s in series):
        return tuple(series)
    recurring = [s for s in series if s.quantity.split is Split.TEST and len(s) >= 3]
    if not recurring:
        return tuple(series)
    notes.append(
        "the test data is measured all along the run and there is no validation data: read as validation"
    )
    return tuple(
        replace(s, quantity=other_split(s.quantity, Split.VALIDATION)) if s in recurring else s
        for s in series
    )


def repeats(ours: Series, theirs: Series) -> bool:
    """Whether every point of one series stands in the other, up to the rounding of a printed table."""
    if ours.axis is not theirs.axis or len(ours) > len(theirs):
        return False
    where = np.minimum(np.searchsorted(theirs.steps, ours.steps), len(theirs) - 1)
    near = np.isclose(theirs.steps[where], ours.steps, rtol=1e-2)
    return bool(np.all(near & _same_when_printed(theirs.values[where], ours.values)))


def written_alike(ours: Floats, theirs: Floats, *, least: int = 5) -> bool:
    """Whether one log holds the first values of another in the same order, wherever it places them."""
    if len(ours) > len(theirs) or len(ours) < least or not np.ptp(ours) > 0:
        return False
    first = theirs[: len(ours)]
    # A share in one log may be a percentage in the other.
    return any(bool(np.all(_same_when_printed(ours * scale, first))) for scale in (1.0, 0.01, 100.0))


def _same_when_printed(ours: Floats, theirs: Floats) -> NDArray[np.bool_]:
    return np.isclose(ours, theirs, rtol=0.02, atol=1e-8, equal_nan=True)
