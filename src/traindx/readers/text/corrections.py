"""What is corrected before it is decided which lines are records: what a shape alone does not tell.

[rank1]: step 10 loss 0.5                 another rank's: only the first that logs is read
  0%|  | 0/50 [00:00<?, loss=0.7]         a bar at 0 shows what was measured before it began
def forward(self, x): loss = 0.5          source code, where a program printed itself
Train: 5 Loss: 0.1477 Acc: 0.8431         the loss of epoch 5; no result is called "Train"
step 1K loss 0.5                          steps that are printed rounded: 1K, 1K, 1K, 2K

Passes over held-out data may count their batches just as the training does:

Epoch 1/2
step 938/938 - loss: 0.51
Eval begin...
step 157/157 - loss: 0.32         no step of the training: it follows the word, and counts to another total
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from traindx.readers.names.vocabulary import bare_split_of
from traindx.readers.text.annotations import Annotations, Kind, announced_splits
from traindx.readers.text.patterns import Pair, Pattern, Place, Position, Sheet
from traindx.readers.types import SPLITS
from traindx.run import Floats, Rows, Skipped, Split

_CODE_GAP = 25
_DEFINITIONS = 3
_FEWEST = 3
_COUNTED = (Place.STEP, Place.BATCH, Place.BAR)


def corrected(sheets: Sequence[Sheet], annotations: Annotations) -> tuple[list[Sheet], list[Skipped]]:
    """The lines that may be records, each as what it is, and how many of other ranks there are."""
    sheets = _without_stale(_without_code([_with_epochs(sheet) for sheet in sheets], annotations))
    sheets, unread = _of_one_rank(sheets)
    return _with_even_steps(_with_passes_apart(sheets, annotations)), unread


def _with_epochs(sheet: Sheet) -> Sheet:
    """Take the number behind the name of a part of the data for the epoch where it counts like one."""
    pattern = sheet.pattern
    first = pattern.pairs[0] if pattern.pairs else None
    if first is None or pattern.at(Place.EPOCH, Place.STEP) or not _names_a_split(first):
        return sheet
    others = [pair for pair in pattern.pairs if pair is not first]
    if not any(pair.known and pair.explicit for pair in others) or not _counts(sheet.numbers[first.hole]):
        return sheet
    held_out = first.split in (Split.VALIDATION, Split.TEST)
    kept = [p for p in pattern.positions if not (held_out and p.place in (Place.BAR, Place.BATCH))]
    epoch = Position(Place.EPOCH, "epoch", first.hole)
    stated = replace(
        pattern,
        positions=(epoch, *kept),
        pairs=tuple(replace(pair, split=pair.split or first.split) for pair in others),
        split=first.split,
        running=pattern.running or len(kept) < len(pattern.positions),
    )
    return replace(sheet, pattern=stated)


def _names_a_split(pair: Pair) -> bool:
    return pair.explicit and pair.split is not None and bare_split_of(pair.name) is pair.split


def _counts(numbers: Floats) -> bool:
    """Whether numbers go up one by one, or begin anew."""
    steps = np.diff(numbers)
    whole = bool(np.all(numbers == np.round(numbers)))
    return len(numbers) >= _FEWEST and whole and bool(np.any(steps == 1)) and bool(np.all(steps <= 1))


def _without_code(sheets: Sequence[Sheet], annotations: Annotations) -> list[Sheet]:
    """Leave out the lines that stand inside a program that was printed into the log."""
    spans = np.array(_programs(annotations), dtype=np.int64).reshape(-1, 2)
    if not len(spans):
        return list(sheets)
    kept: list[Sheet] = []
    for sheet in sheets:
        at = np.searchsorted(spans[:, 0], sheet.lines, side="right") - 1
        kept.append(sheet.where((at < 0) | (sheet.lines > spans[np.maximum(at, 0), 1])))
    return [sheet for sheet in kept if len(sheet)]


def _programs(annotations: Annotations) -> list[tuple[int, int]]:
    """The first and last lines of source code, where there is so much of it that it is a whole program."""
    spans: list[tuple[int, int]] = []
    begin = last = definitions = 0
    for line, annotation in annotations:
        if annotation.kind not in (Kind.CODE, Kind.DEFINITION):
            continue
        if line - last > _CODE_GAP:
            if definitions >= _DEFINITIONS:
                spans.append((begin, last))
            begin, definitions = line, 0
        last = line
        definitions += annotation.kind is Kind.DEFINITION
    return [*spans, (begin, last)] if definitions >= _DEFINITIONS else spans


def _without_stale(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Leave out bars at 0: what they show was measured before they began, unless no bar ever moves."""
    counts = [sheet.of(bar) for sheet in sheets if (bar := sheet.pattern.at(Place.BAR)) is not None]
    if counts and not any(bool(count.any()) for count in counts):
        return [replace(sheet, pattern=sheet.pattern.without(Place.BAR)) for sheet in sheets]
    kept = [sheet.where(sheet.of(sheet.pattern.at(Place.BAR)) != 0) for sheet in sheets]
    return [sheet for sheet in kept if len(sheet)]


def _of_one_rank(sheets: Sequence[Sheet]) -> tuple[list[Sheet], list[Skipped]]:
    """Keep the lines of the first rank that logs metrics, and those that tell no rank."""
    logging = [s for s in sheets if s.pattern.known and s.pattern.positions and np.isfinite(s.ranks).any()]
    if not logging:
        return list(sheets), []
    first = min(logging, key=lambda sheet: int(sheet.lines[np.isfinite(sheet.ranks)][0]))
    rank = first.ranks[np.isfinite(first.ranks)][0]
    kept = [sheet.where(~(sheet.ranks != rank) | np.isnan(sheet.ranks)) for sheet in sheets]
    others = sum(len(sheet) for sheet in sheets) - sum(len(sheet) for sheet in kept)
    why = f"only rank {rank:g}, the first to log, is read"
    unread = [Skipped("lines of other ranks", others, why)] if others else []
    return [sheet for sheet in kept if len(sheet)], unread


def _with_passes_apart(sheets: Sequence[Sheet], annotations: Annotations) -> list[Sheet]:
    """Part the lines of a pass from those of the training that have the same shape."""
    splits = announced_splits(annotations)
    epochs = [s.lines for s in sheets if not s.pattern.pairs and s.pattern.at(Place.EPOCH)]
    if not len(splits) or not epochs:
        return list(sheets)
    begins = np.concatenate(epochs)
    # A heading that begins an epoch speaks of no part of the data.
    headings = np.concatenate([splits, np.column_stack([begins, np.zeros_like(begins)])])
    headings = headings[np.argsort(headings[:, 0], kind="stable")]
    return [part for sheet in sheets for part in _parts(sheet, headings) if len(part)]


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


def _with_even_steps(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Give the lines of each kind that rounds its steps the even distances that the rounded ones allow."""
    kinds: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        kinds.setdefault(sheet.pattern.kind, []).append(sheet)
    return [sheet for alike in kinds.values() for sheet in _spread(alike)]


def _spread(alike: Sequence[Sheet]) -> Sequence[Sheet]:
    counting = [(sheet, at) for sheet in alike if (at := sheet.pattern.at(Place.STEP)) is not None]
    if len(counting) < len(alike) or all(at.grain == 1 for _, at in counting):
        return alike
    order = np.argsort(np.concatenate([sheet.lines for sheet in alike]), kind="stable")
    steps = np.concatenate([sheet.of(at) for sheet, at in counting])[order]
    grains = np.concatenate([np.full(len(sheet), at.grain) for sheet, at in counting])[order]
    even = _even(steps, grains)
    if even is None:
        return alike
    spread = np.empty(len(even))
    spread[order] = even
    ends = np.cumsum([len(sheet) for sheet in alike])[:-1]
    parts = zip(counting, np.split(spread, ends), strict=True)
    return [
        replace(sheet, numbers={**sheet.numbers, at.hole: part / at.grain}) for (sheet, at), part in parts
    ]


def _even(steps: Floats, grains: Floats) -> Floats | None:
    """The steps at one distance from each other, if no rounded one is further away than its last digit."""
    if len(steps) < _FEWEST:
        return None
    exact = steps[grains == 1]
    if len(exact) > 1:
        even: Floats = steps[0] + (exact[1] - exact[0]) * np.arange(len(steps))
    else:
        even = np.linspace(float(steps[0]), float(steps[-1]), len(steps))
    near = np.abs(even - steps) <= np.where(grains > 1, grains, 0.0)
    return even if bool(near.all()) else None
