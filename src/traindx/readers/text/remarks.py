"""Lines that hold no record but tell something, and the part of the data that the lines after them speak of.

OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768   DeepSpeed
def forward(self, x):                                                            a program printed itself
Test Error:                                          a heading: what follows was measured on test data
 Accuracy: 64.6%, Avg loss: 1.07
313/313 [=====] - 1s 2ms/step - loss: 0.39           a bar of Keras after the last epoch: an evaluation

Passes over held-out data may count their batches just as the training does:

Epoch 1/2
step 938/938 - loss: 0.51
Eval begin...
step 157/157 - loss: 0.32         no step of the training: it follows the word, and counts to another total
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from traindx.readers.names.vocabulary import split_of
from traindx.readers.text.clock import Clock
from traindx.readers.text.prefix import prefix_of
from traindx.readers.text.sheet import Pattern, Place, Sheet
from traindx.run import Rows, Split


class Kind(Enum):
    """What a line tells."""

    OVERFLOW = "overflow"
    SPLIT = "split"
    CODE = "code"
    """A line of source code as may also stand in a traceback."""
    TRACEBACK = "traceback"
    REPEAT = "repeat"
    """The next line repeats a record: LightGBM prints the best iteration once more."""
    DEFINITION = "definition"
    """A line of source code as stands only in a whole program."""


@dataclass(frozen=True)
class Remark:
    """What a line without a record tells."""

    kind: Kind
    split: Split | None = None


_OVERFLOW = re.compile(r"OVERFLOW!|grad(?:ient)?s? overflow|overflow detected", re.IGNORECASE)
_TRACEBACK = "Traceback (most recent call last)"
_REPEAT = re.compile(r"best iteration is:\s*$", re.IGNORECASE)
_DEFINITION = re.compile(
    r"(?:(?:async )?def \w+\(|class \w+\s*[(:]|import \w+|from [\w.]+ import |@\w[\w.]*(?:\(|\s*$)"
    r"|if __name__ ==|#include\s*[<\"]|__global__ void|\"\"\")"
)
_CODE = re.compile(
    r"(?:return\b|elif .*:|else:|if .*:\s*(?:#.*)?$|for .* in .*:|while .*:|with .*:|try:|except\b.*:"
    r"|raise \w|assert |self\.\w+|print\w*\(|[\w.]+\(.*\)\s*(?:#.*)?$|# )"
)
_FEW_WORDS = 6
_LONGEST_SECTION, _MOST_SPACES = 120, 12
_SECTION = re.compile(r"[^\W\d_][\w '-]*")


def remark_of(shape: str) -> Remark | None:
    """What a line of this shape tells beside its numbers."""
    if "overflow" in shape.lower() and _OVERFLOW.search(shape):
        return Remark(Kind.OVERFLOW)
    if _TRACEBACK in shape:
        return Remark(Kind.TRACEBACK)
    if _REPEAT.search(shape):
        return Remark(Kind.REPEAT)
    text = shape.lstrip()
    if _DEFINITION.match(text):
        return Remark(Kind.DEFINITION)
    return Remark(Kind.CODE) if _CODE.match(text) else None


def section_of(shape: str) -> Remark | None:
    """The part of the data that a short heading announces."""
    if len(shape) > _LONGEST_SECTION or shape.count(" ") > _MOST_SPACES:
        return None
    words = shape[prefix_of(shape).end :].strip(" \t=*#-.:>!<[]()")
    if not words or words.count(" ") >= _FEW_WORDS or not _SECTION.match(words):
        return None
    split = split_of(words)
    return Remark(Kind.SPLIT, split) if split else None


_CODE_GAP = 25
_DEFINITIONS = 3


def without_code(sheets: Sequence[Sheet], remarks: Sequence[tuple[int, Remark]]) -> list[Sheet]:
    """Leave out the lines that stand inside a program that was printed into the log."""
    spans = np.array(_programs(remarks), dtype=np.int64).reshape(-1, 2)
    if not len(spans):
        return list(sheets)
    kept: list[Sheet] = []
    for sheet in sheets:
        at = np.searchsorted(spans[:, 0], sheet.lines, side="right") - 1
        kept.append(sheet.where((at < 0) | (sheet.lines > spans[np.maximum(at, 0), 1])))
    return [sheet for sheet in kept if len(sheet)]


def _programs(remarks: Sequence[tuple[int, Remark]]) -> list[tuple[int, int]]:
    """The first and last lines of source code, where there is so much of it that it is a whole program."""
    spans: list[tuple[int, int]] = []
    begin = last = definitions = 0
    for line, remark in remarks:
        if remark.kind not in (Kind.CODE, Kind.DEFINITION):
            continue
        if line - last > _CODE_GAP:
            if definitions >= _DEFINITIONS:
                spans.append((begin, last))
            begin, definitions = line, 0
        last = line
        definitions += remark.kind is Kind.DEFINITION
    return [*spans, (begin, last)] if definitions >= _DEFINITIONS else spans


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
