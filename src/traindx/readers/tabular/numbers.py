"""Numbers in text: what one cell says, JSON lists and lines of cells in bulk, times of writing.

0.61   1e-05   nan   -inf   12%   tensor(0.61, device='cuda:0')    numbers
(blank)   NA   None   No log   -                                   nothing
train   0:29:05   [0.1, 0.2]                                       words

JSON lists are read exactly as Python's float() reads them.
simdjson hands over the doubles as they lie in memory; msgspec makes a Python float of each, which takes twice
as long. simdjson has no wheel for every Python, so it is used where it is there.

Lines of comma-separated numbers are read in bulk, and just as exactly.

0.61,49,1e-05
nan,50,            a blank is not a value, nan is one

A JSON decoder reads numbers several times faster than float() does, so lines are turned into one JSON list.
"""

import re
import struct
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from traindx.run import Floats

_NOTHING = frozenset({"", "na", "n/a", "#n/a", "<na>", "none", "null", "nil", "no log", "-", "--", "---"})
# People write a tensor or a NumPy scalar where they mean its value.
_WRAPPED = re.compile(
    r"(?:tensor|array|(?:np|numpy)\.float\d+)\(\s*\[*\s*([^\s,()\[\]]+)\s*\]*\s*(?:,\s*\w+=.*)?\)", re.DOTALL
)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_PROGRESS = re.compile(r"\s*(\d+)\s*/\s*\d+\s*")


def number_in(text: str) -> float | None:
    """The number a cell holds, or None if it holds nothing; raises ValueError where it holds words."""
    text = text.strip()
    if text.lower() in _NOTHING:
        return None
    try:
        number = float(text)
    except ValueError:
        return _dressed_number(text)
    if "_" in text:  # Python reads 2024_01 as a number, people do not
        raise ValueError(text)
    return number


def _dressed_number(text: str) -> float:
    """A number with something around it that does not change its value."""
    if text.endswith("%"):
        return float(text[:-1])
    if _THOUSANDS.fullmatch(text):
        return float(text.replace(",", ""))
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is None:
        raise ValueError(text)
    return float(wrapped[1])


def moment_in(text: str) -> float:
    """Seconds since 1970 of a date with a time of day; raises ValueError where the text is none."""
    if not _MOMENT.match(text):
        raise ValueError(text)
    moment = datetime.fromisoformat(text.strip())
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def progress_in(text: str) -> float:
    """How far a count such as 3/100 is; raises ValueError where the text is none."""
    match = _PROGRESS.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return float(match[1])


try:
    from simdjson import Array, Parser
except ImportError:
    HAS_SIMDJSON = False
else:
    HAS_SIMDJSON = True

_FLOATS = msgspec.json.Decoder(list[float])


def numbers_in(json_list: bytes) -> Floats | None:
    """The numbers of a list; None where it holds anything else."""
    numbers = by_simdjson(json_list) if HAS_SIMDJSON else None
    # simdjson takes no integer beyond 64 bits, msgspec does.
    return by_msgspec(json_list) if numbers is None else numbers


def by_simdjson(json_list: bytes) -> Floats | None:
    """The same by simdjson."""
    if json_list.find(b"[", 1) > 0:  # it would flatten lists within the list
        return None
    try:
        document = _parser().parse(json_list)
        return np.frombuffer(document.as_buffer(of_type="d")) if isinstance(document, Array) else None
    except (ValueError, TypeError, RuntimeError):
        return None


@cache
def _parser() -> "Parser":
    """One parser for all: its buffers are half the cost of a list. None of its results outlives a call."""
    return Parser()


def by_msgspec(json_list: bytes) -> Floats | None:
    """The same by msgspec."""
    try:
        numbers = _FLOATS.decode(json_list)
    except msgspec.DecodeError:
        return None
    # By struct, because NumPy asks each element for its type first, which takes three times as long.
    return np.frombuffer(struct.pack(f"{len(numbers)}d", *numbers))


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


_SCALES = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""No run lasts three thousand years: numbers above a limit are nano-, micro- or milliseconds since 1970."""
_YEAR_2001, _YEAR_2100 = 1e9, 4.1e9


def in_seconds(times: Floats) -> Floats:
    """Times in seconds, whatever fraction of a second they count."""
    largest = float(np.nanmax(np.abs(times))) if np.isfinite(times).any() else 0.0
    scale = next((scale for limit, scale in _SCALES if largest > limit), 1.0)
    return times / scale if scale > 1 else times


def are_stamps(numbers: Floats) -> bool:
    """Whether numbers are times since 1970: no duration and no count of a run is as large."""
    seconds = in_seconds(numbers[np.isfinite(numbers)])
    return len(seconds) > 0 and bool(np.all((seconds > _YEAR_2001) & (seconds < _YEAR_2100)))
