"""Lines that hold no record but tell something: overflows, what is evaluated now, printed source code.

OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768   DeepSpeed
gradient overflow detected, ignoring gradient, setting loss scale to: 32.0       fairseq
Test Error:                                                                      what follows is of the test
def forward(self, x):                                                            a program printed itself
"""

import re
from dataclasses import dataclass
from enum import Enum

from traindx.readers.names.vocabulary import split_of
from traindx.readers.text.prefix import prefix_of
from traindx.run import Split


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
