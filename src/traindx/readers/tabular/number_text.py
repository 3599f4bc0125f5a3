"""What one cell of text says: a number, nothing, or words.

0.61   1e-05   nan   -inf   12%   tensor(0.61, device='cuda:0')    numbers
(blank)   NA   None   No log   -                                   nothing
train   0:29:05   [0.1, 0.2]                                       words
"""

import re
from datetime import UTC, datetime

_NOTHING = frozenset({"", "na", "n/a", "#n/a", "<na>", "none", "null", "nil", "no log", "-", "--", "---"})
# People write a tensor or a NumPy scalar where they mean its value.
_WRAPPED = re.compile(r"(?:tensor|array|(?:np|numpy)\.float\d+)\(\s*([^\s,()\[\]]+)\s*(?:,[^()]*)?.*\)")
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
    found = _PROGRESS.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return float(found[1])
