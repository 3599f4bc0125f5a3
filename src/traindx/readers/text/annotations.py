"""Lines that hold no record but tell something, and the part of the data that the lines after them speak of.

OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768   DeepSpeed
def forward(self, x):                                                            a program printed itself
Test Error:                                          a heading: what follows was measured on test data
 Accuracy: 64.6%, Avg loss: 1.07
313/313 [=====] - 1s 2ms/step - loss: 0.39           a bar of Keras after the last epoch: an evaluation
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from traindx.readers.names.vocabulary import split_of
from traindx.readers.text.clock import Clock
from traindx.readers.text.prefix import prefix_of
from traindx.readers.text.sheet import Place, Sheet
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
class Annotation:
    """What a line without a record tells."""

    kind: Kind
    split: Split | None = None


Annotations = Sequence[tuple[int, Annotation]]
"""The lines that tell something, by number."""


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


def annotation_of(shape: str) -> Annotation | None:
    """What a line of this shape tells beside its numbers."""
    if "overflow" in shape.lower() and _OVERFLOW.search(shape):
        return Annotation(Kind.OVERFLOW)
    if _TRACEBACK in shape:
        return Annotation(Kind.TRACEBACK)
    if _REPEAT.search(shape):
        return Annotation(Kind.REPEAT)
    text = shape.lstrip()
    if _DEFINITION.match(text):
        return Annotation(Kind.DEFINITION)
    return Annotation(Kind.CODE) if _CODE.match(text) else None


def section_of(shape: str) -> Annotation | None:
    """The part of the data that a short heading announces."""
    if len(shape) > _LONGEST_SECTION or shape.count(" ") > _MOST_SPACES:
        return None
    words = shape[prefix_of(shape).end :].strip(" \t=*#-.:>!<[]()")
    if not words or words.count(" ") >= _FEW_WORDS or not _SECTION.match(words):
        return None
    split = split_of(words)
    return Annotation(Kind.SPLIT, split) if split else None


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


def announced_splits(annotations: Annotations) -> Rows:
    """The lines that announce a part of the data, each with its index into `SPLITS`."""
    announced = [(line, SPLITS.index(note.split)) for line, note in annotations if note.kind is Kind.SPLIT]
    return np.array(announced, dtype=np.int64).reshape(-1, 2)


def spoken_of(annotations: Annotations, stating: Sequence[Sheet], others: Sequence[Sheet]) -> Spoken:
    """Headings, and lines that say it of themselves, speak for the lines after them up to the next record."""
    marks = [announced_splits(annotations)]
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
