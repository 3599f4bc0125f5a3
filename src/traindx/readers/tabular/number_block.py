"""Lines of comma-separated numbers to arrays: in bulk, and exactly as Python's float() reads them.

0.61,49,1e-05
nan,50,            a blank is not a value, nan is one

A JSON decoder reads numbers several times faster than float() does, so lines are turned into one JSON list.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from traindx.readers.tabular.json_numbers import numbers_in
from traindx.run import Floats

_COMMA, _NEWLINE = 44, 10
_GLANCE = 4096

# Stands after each line, so that a line with a cell too few and one with a cell too many do not pass.
_LINE = -7e-301
_END_OF_LINE = b",-7e-301,"
# JSON has no words for these, so rare numbers take their place. Each begins with a sign and ends with a
# blank: stuck to other text they make no number.
_NAN, _INF, _MINUS_INF, _BLANK = (b"-1.5e-301 ", b"-2.5e-301 ", b"-3.5e-301 ", b"-4.5e-301 ")
_SPELLINGS = (
    (b"-nan", b"nan"),
    (b"-Infinity", _MINUS_INF),
    (b"-inf", _MINUS_INF),
    (b"Infinity", _INF),
    (b"inf", _INF),
    (b"nan", _NAN),
    (b"NaN", _NAN),
    (b"None", _BLANK),
    (b"N/A", _BLANK),
    (b"NA", _BLANK),
    (b"null", _BLANK),
)


@dataclass(frozen=True, eq=False)
class NumberBlock:
    """The numbers of some lines, one row each."""

    values: Floats
    filled: NDArray[np.bool_] | None
    """Which cells hold a number; None where all do."""


def number_block(text: bytes, width: int) -> NumberBlock | None:
    """The numbers of lines, each ended by a newline; None where one has other cells than `width` numbers."""
    values = None if b",," in text[:_GLANCE] else _without_blanks(text, width)
    if values is not None:
        return NumberBlock(values, None)
    if not text.translate(None, b"0123456789.,-+eE \n"):
        return _with_blanks(text, width)
    if b"e-301" in text:
        return None
    for spelling, stand_in in _SPELLINGS:
        text = text.replace(spelling, stand_in)
    values = _without_blanks(text, width)
    return _with_words(NumberBlock(values, None) if values is not None else _with_blanks(text, width))


def _without_blanks(text: bytes, width: int) -> Floats | None:
    # The list ends with a number to spare: cutting off the last comma would copy the text once more.
    numbers = numbers_in(b"".join((b"[", text.replace(b"\n", _END_OF_LINE), b"0]")))
    if numbers is None or len(numbers) % (width + 1) != 1:
        return None
    table = numbers[:-1].reshape(-1, width + 1)
    return table[:, :width] if bool(np.all(table[:, width] == _LINE)) else None


def _with_blanks(text: bytes, width: int) -> NumberBlock | None:
    """Take the blanks out before decoding: most cells of a sparse table are blank."""
    characters = np.frombuffer(text, dtype=np.uint8)
    newlines = characters == _NEWLINE
    ends_cell = newlines | (characters == _COMMA)
    ends = np.flatnonzero(ends_cell)
    ends_line = newlines[ends[width - 1 :: width]]
    if len(ends) % width or not bool(ends_line.all()) or np.count_nonzero(newlines) != len(ends_line):
        return None
    filled = np.diff(ends, prepend=-1) > 1
    keep = ~ends_cell
    keep[ends[filled]] = True
    kept = characters[keep]
    kept[kept == _NEWLINE] = _COMMA
    numbers = numbers_in(b"".join((b"[", kept.tobytes()[:-1], b"]")))
    if numbers is None or len(numbers) != np.count_nonzero(filled):
        return None
    values = np.full(len(ends), np.nan)
    values[filled] = numbers
    return NumberBlock(values.reshape(-1, width), filled.reshape(-1, width))


def _with_words(block: NumberBlock | None) -> NumberBlock | None:
    """Put back what rare numbers stood in for."""
    if block is None:
        return None
    values = block.values.copy()
    values[values == float(_NAN)] = np.nan
    values[values == float(_INF)] = np.inf
    values[values == float(_MINUS_INF)] = -np.inf
    blank = values == float(_BLANK)
    if not bool(blank.any()):
        return NumberBlock(values, block.filled)
    return NumberBlock(values, ~blank if block.filled is None else block.filled & ~blank)
