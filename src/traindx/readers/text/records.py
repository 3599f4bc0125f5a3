"""The second pass over a text log: which lines are records of the training, and where each stands.

A line is a record if it states a position and a known quantity, or if its kind recurs all along the run.
Lines without a position belong to the last position before them. Settings, prose and source code are none.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from traindx.quantities import REWARD
from traindx.readers.names.vocabulary import bare_split_of, fact_of, meaning
from traindx.readers.text.annotations import SplitContext, evaluations_of, split_context
from traindx.readers.text.corrections import corrected
from traindx.readers.text.names import is_plural
from traindx.readers.text.patterns import Pair, Pattern, Place, Position, Sheet, sheet_of
from traindx.readers.text.positions import AXES, Clock, clock_of, plans_of
from traindx.readers.text.tallies import LogTally
from traindx.readers.types import SPLITS
from traindx.run import Axis, Floats, Rows, Scalar, Skipped, Split

_ONE_BLOCK = 2


def _is_outcome(pair: Pair) -> bool:
    """Whether a pair is what a training is about: a loss, a metric, a reward."""
    means = meaning(pair.name, pair.split)
    return means is not None and (means.quantity.split is not None or means.quantity is REWARD)


def _is_result(pair: Pair) -> bool:
    """Whether a pair is an outcome, or the number of a part of the data whose measure the others tell."""
    return _is_outcome(pair) or (pair.known and bare_split_of(pair.name) is not None)


def _setting_lines(sheets: Sequence[Sheet]) -> Rows:
    """The lines of blocks of settings: `lr: 0.3` between `batch_size: 64` and `seed: 31` is no record."""
    unplaced = [sheet for sheet in sheets if not _counts_results(sheet.pattern)]
    lines = (
        np.sort(np.concatenate([sheet.lines for sheet in unplaced])) if unplaced else np.empty(0, np.int64)
    )
    telling = [s.lines for s in unplaced if s.pattern.pairs and _states_settings(s.pattern)]
    if not telling:
        return np.empty(0, dtype=np.int64)
    blocks = np.cumsum(np.diff(lines, prepend=lines[0]) > _ONE_BLOCK)
    is_stated = np.isin(lines, np.concatenate(telling))
    settings: Rows = lines[np.isin(blocks, blocks[is_stated])]
    return settings


def _counts_results(pattern: Pattern) -> bool:
    """Whether lines name a position, or are led by a number and hold results: `[20] valid's auc: 0.67`."""
    if pattern.at(Place.STEP, Place.EPOCH):
        return True
    return pattern.at(Place.LEAD) is not None and any(map(_is_outcome, pattern.pairs))


def _states_settings(pattern: Pattern) -> bool:
    """Whether a line rather states how the run was set up: a seed, a batch size, how many epochs."""
    planned = any(is_plural(p.name) and fact_of(p.name) is not None for p in pattern.positions)
    settings = sum(not pair.known and fact_of(pair.name) is not None for pair in pattern.pairs)
    return planned or settings > sum(map(_is_outcome, pattern.pairs))


_PROSE = 8
"""A line with more words than this that belong to nothing is prose."""
_HEADING_STRAYS = 4
_FEW = 3
_CLEAN = 2
_RECURS = 3
_NEAR = 40
_MOST_UNREAD = 20
_RECORD = AXES.index(Axis.RECORD)


@dataclass(frozen=True, eq=False)
class PositionedSheet:
    """Lines of one shape that are records, and where they stand."""

    sheet: Sheet
    axes: Rows
    positions: Floats
    rows: Rows
    """Lines under one heading share a row."""
    splits: Rows
    """Indexes into `SPLITS`: the part of the data that the headings before the lines speak of."""
    summary: bool = False
    """Whether the lines sum up what lines that state a position hold under the same names."""


@dataclass(frozen=True, eq=False)
class Records:
    """The records of a log."""

    placed: tuple[PositionedSheet, ...]
    clock: Clock
    unread: tuple[Skipped, ...]
    plans: Mapping[str, Scalar]
    """How far the run was meant to go."""


def records_of(found: LogTally) -> Records:
    """Decide which lines are records, and place them."""
    sheets = [sheet_of(tally) for tally in found.tallies if len(tally.lines)]
    sheets, unread = corrected(sheets, found.annotations)
    settings = _setting_lines(sheets)
    if len(settings):
        sheets = [kept for s in sheets if len(kept := s.where(~np.isin(s.lines, settings)))]
    stating, others = _stating(sheets)
    clock = clock_of(stating)
    placed = [_at_own_place(sheet, clock) for sheet in stating if sheet.pattern.pairs]
    if len(clock) and (placed or any(_is_outcome(pair) for sheet in others for pair in sheet.pattern.pairs)):
        context = _Context(
            clock,
            split_context(found.annotations, stating, others),
            evaluations_of(others, clock),
            _is_late(others, clock),
            {pair.name for sheet in stating for pair in sheet.pattern.pairs if _is_outcome(pair)},
        )
        placed += [p for sheet in others if (p := _by_clock(sheet, context)) is not None]
    elif not len(clock):
        placed += _counted([sheet for sheet in others if _recurs_alone(sheet)])
    placed = [p for p in placed if len(p.sheet)]
    read = {id(p.sheet.pattern) for p in placed}
    left = _left(
        [s for s in others if id(s.pattern) not in read and len(clock) and s.lines[-1] > clock.lines[0]]
    )
    return Records(tuple(placed), clock, (*unread, *left), plans_of(stating))


def _parted(sheets: Sequence[Sheet], test: Callable[[Sheet], bool]) -> tuple[list[Sheet], list[Sheet]]:
    passing = [test(sheet) for sheet in sheets]
    return (
        [s for s, passes in zip(sheets, passing, strict=True) if passes],
        [s for s, passes in zip(sheets, passing, strict=True) if not passes],
    )


def _places_of_kinds(sheets: Sequence[Sheet]) -> dict[str, int]:
    """At how many places of the run each kind of line stands, as far as it matters."""
    places: dict[str, set[float]] = {}
    for sheet in sheets:
        named = sheet.pattern.at(Place.STEP, Place.BATCH, Place.EPOCH)
        places.setdefault(sheet.pattern.kind, set()).update(
            sheet.of(named)[:_RECURS].tolist() if named else ()
        )
    return {kind: len(stated) for kind, stated in places.items()}


def _stating(sheets: Sequence[Sheet]) -> tuple[list[Sheet], list[Sheet]]:
    """Part the sheets whose lines say where they stand, and are no prose or settings, from all others."""
    epochs = any(sheet.pattern.at(Place.EPOCH) for sheet in sheets)
    kinds = _places_of_kinds(sheets)
    sure, rest = _parted(sheets, lambda sheet: _states_position(sheet, epochs, kinds[sheet.pattern.kind]))
    # A record may lack its loss, as Megatron's do where all iterations were skipped.
    names = {pair.name for sheet in sure for pair in sheet.pattern.pairs}
    alike, others = _parted(rest, lambda sheet: _is_like(sheet.pattern, names))
    # In a block under a heading, `time/epoch: 0` repeats what the heading says.
    repeating, stating = _parted(sure + alike, lambda sheet: _is_filed(sheet.pattern))
    return (stating, others + repeating) if stating else (repeating, others)


def _is_filed(pattern: Pattern) -> bool:
    return not pattern.pairs and all("/" in position.name for position in pattern.positions)


def _is_like(pattern: Pattern, names: set[str]) -> bool:
    shared = pattern.pairs and names.issuperset(pair.name for pair in pattern.pairs)
    return bool(shared) and pattern.at(Place.STEP, Place.EPOCH) is not None and pattern.strays <= _CLEAN


def _states_position(sheet: Sheet, epochs: bool, places: int) -> bool:
    pattern = sheet.pattern
    named = pattern.at(Place.STEP, Place.EPOCH)
    if not pattern.pairs:
        heading = named or _batch_of_training(pattern)
        return heading is not None and pattern.words <= _HEADING_STRAYS and not is_plural(heading.name)
    outcome = any(map(_is_result, pattern.pairs))
    if places < _RECURS - 1 and (_states_settings(pattern) or pattern.words > _FEW or not outcome):
        return False
    if pattern.known and pattern.strays <= _PROSE:
        return pattern.at(*(Place if not epochs else [p for p in Place if p is not Place.PASS])) is not None
    return named is not None and places >= _RECURS and pattern.strays <= _HEADING_STRAYS


def _batch_of_training(pattern: Pattern) -> Position | None:
    """A batch of so many, [batch=3/50], unless it is one of an evaluation: that says nothing of the run."""
    batch = pattern.at(Place.BATCH)
    return batch if batch and batch.total is not None and pattern.split in (None, Split.TRAIN) else None


def _at_own_place(sheet: Sheet, clock: Clock) -> PositionedSheet:
    sheet = sheet.where(np.isin(sheet.lines, clock.lines))
    at = clock.before(sheet.lines)
    return PositionedSheet(
        sheet, clock.axes[at], clock.positions[at], sheet.lines, np.zeros(len(at), dtype=np.int64)
    )


@dataclass(frozen=True, eq=False)
class _Context:
    """What places lines that do not say themselves where they stand."""

    clock: Clock
    spoken: SplitContext
    evaluations: Rows
    late: bool
    """Whether positions are stated after what was measured there, not before."""
    stated: Set[str]
    """The names of the results in lines that state a position."""


def _is_late(sheets: Sequence[Sheet], clock: Clock) -> bool:
    """Whether every kind of result stands before the first position already, and none after the last."""
    results = [s for s in sheets if len(s) > 1 and any(map(_is_outcome, s.pattern.pairs))]
    return bool(results) and all(
        s.lines[0] < clock.lines[0] and s.lines[-1] < clock.lines[-1] and s.pattern.strays <= _CLEAN
        for s in results
    )


def _by_clock(sheet: Sheet, context: _Context) -> PositionedSheet | None:
    """Place the lines of a sheet at the positions that other lines state, if they are records."""
    pattern, clock = sheet.pattern, context.clock
    at = clock.before(sheet.lines) + context.late
    inside = (at >= 0) & (at < len(clock))
    sheet, at = sheet.where(inside), at[inside]
    if not pattern.pairs or not len(at) or pattern.words > _PROSE or _states_settings(pattern):
        return None
    places = len(np.unique(at))
    near = int(np.abs(sheet.lines - clock.lines[at]).min()) <= _NEAR
    # Several lines of one kind at one place list something: classes, ranks.
    single = len(at) <= 2 * places or pattern.running or bool(sheet.redrawn.any())
    if any(map(_is_outcome, pattern.pairs)):
        belongs = places > 1 or pattern.running or (near and pattern.words <= _CLEAN)
    else:
        marked = all(pair.explicit for pair in pattern.pairs) and pattern.words <= _CLEAN
        belongs = marked and places >= (_RECURS - 1 if pattern.known else _RECURS)
    if not (belongs and single):
        return None
    # A bar of Keras is of the training, whatever was said before, unless it is an evaluation.
    splits = context.spoken.at(sheet.lines) * (pattern.at(Place.PASS) is None)
    splits[np.isin(sheet.lines, context.evaluations)] = SPLITS.index(Split.TEST)
    rows = np.where(clock.headings[at] & (clock.lines[at] <= sheet.lines), clock.lines[at], sheet.lines)
    summary = not context.stated.isdisjoint(pair.name for pair in pattern.pairs)
    if context.stated and pattern.starred:
        # PyTorch's ImageNet example sums up its validation like this, which not every program announces.
        splits[splits == 0] = SPLITS.index(Split.VALIDATION)
    return PositionedSheet(sheet, clock.axes[at], clock.positions[at], rows, splits, summary)


def _counted(sheets: Sequence[Sheet]) -> list[PositionedSheet]:
    """Count the lines where nothing in the log says where they stand: those of the same names together."""
    names = [tuple(pair.name for pair in sheet.pattern.pairs) for sheet in sheets]
    positioned_sheets = []
    for sheet, own in zip(sheets, names, strict=True):
        alike = np.concatenate([s.lines for s, other in zip(sheets, names, strict=True) if other == own])
        rows = np.searchsorted(np.sort(alike), sheet.lines).astype(np.float64)
        zeros = np.zeros(len(sheet), dtype=np.int64)
        positioned_sheets.append(PositionedSheet(sheet, zeros + _RECORD, rows, sheet.lines, zeros))
    return positioned_sheets


def _recurs_alone(sheet: Sheet) -> bool:
    """Whether the lines are records though the whole log states no position."""
    pattern = sheet.pattern
    return pattern.words <= _CLEAN and len(sheet) >= _RECURS and any(map(_is_outcome, pattern.pairs))


def _left(sheets: Sequence[Sheet]) -> list[Skipped]:
    """The names that recur in lines that are no records."""
    counts: dict[str, int] = {}
    for sheet in sheets:
        for pair in sheet.pattern.pairs:
            if pair.explicit and sheet.pattern.strays <= _CLEAN:
                counts[pair.name] = counts.get(pair.name, 0) + len(sheet)
    most = sorted(counts.items(), key=lambda item: -item[1])[:_MOST_UNREAD]
    why = "no step or epoch in its line"
    return [Skipped(name, count, why) for name, count in most if count >= _RECURS]
