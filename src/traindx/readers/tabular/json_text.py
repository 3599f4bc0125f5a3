"""JSON as training programs write it: with bare NaN, several values in one file, and cut off at the end.

{"step": 10, "loss": NaN}
[{"step": 10, "loss": 0.5}, {"step": 20, "lo        the writer was killed here
"""

import json
import re
from dataclasses import dataclass
from itertools import islice

from traindx.quantities import REWARD
from traindx.readers.names.vocabulary import meaning
from traindx.readers.tabular.leaves import decoded

_TELLING = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')
_CLOSING = {"[": "]", "{": "}"}
_NUMBER_OF = re.compile(
    rb'"([^"\\]{1,100})"\s*:\s*'
    rb'(?:"?-?[\d.]|"?NaN|"?-?Infinity|\[\s*[-\d\[N]|\{\s*"(?:\d|steps?"|epochs?"|x"|values"))'
)
_METRIC = re.compile(rb'"(?:metric|metric_?[nN]ame|name|tag|key)"\s*:\s*"([^"\\]{1,100})"')
_COLUMNS = re.compile(rb'"columns"\s*:\s*\[([^\[\]{}]{1,5000})\]')
_TEXT = re.compile(rb'"([^"\\]{1,100})"')
_MOST_BRACKETS = 100
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Document:
    """What a JSON file holds, and whether its end is missing."""

    value: object
    torn: bool = False


def document_in(data: bytes) -> Document:
    """The value of a JSON text, up to where it was cut off; raises ValueError where it is no JSON.

    A text of several values, one after the other, is the list of them.
    """
    text = data.decode("utf-8-sig", "replace").replace("\0", "").strip()
    try:
        return Document(decoded(text))
    except ValueError:
        pass
    values, rest = _values_in(text)
    if rest and rest[0] not in "[{":
        raise ValueError("not JSON")
    if not values:
        return Document(decoded(_mended(rest)), torn=True)
    return Document(values[0] if len(values) == 1 else values, torn=bool(rest))


def names_a_metric(head: bytes) -> bool:
    """Whether a name that is known for a loss, a metric or a reward has a number or a list beside it."""
    names = [match[1] for match in islice(_NUMBER_OF.finditer(head), 300)]
    if b'alue"' in head:  # {"metric": "loss", "value": 0.5}
        names += [match[1] for match in islice(_METRIC.finditer(head), 300)]
    columns = _COLUMNS.search(head)
    names += _TEXT.findall(columns[1]) if columns else []
    known = (meaning(name.decode("utf-8", "replace")) for name in set(names))
    return any(found and (found.quantity.split or found.quantity is REWARD) for found in known)


def _values_in(text: str) -> tuple[list[object], str]:
    """The whole values a text begins with, and what follows them."""
    values: list[object] = []
    start = 0
    while start < len(text):
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        values.append(value)
        # Values may be parted by line ends, and by commas where the brackets around them were forgotten.
        start = end + len(text[end : end + 100]) - len(text[end : end + 100].lstrip(" \t\r\n,"))
    return values, text[start:]


def _mended(text: str) -> str:
    """A text that was cut off, ended after its last whole item: the last of a list where there is one."""
    open_brackets: list[str] = []
    in_list = anywhere = (0, "")
    for match in _TELLING.finditer(text):
        sign = match[0]
        if sign in _CLOSING:
            open_brackets.append(_CLOSING[sign])
            if len(open_brackets) > _MOST_BRACKETS:
                raise ValueError("nested too deeply")
        elif sign in ("]", "}"):
            if not open_brackets or open_brackets.pop() != sign:
                raise ValueError("brackets do not match")
        elif sign == ",":
            anywhere = (match.start(), "".join(reversed(open_brackets)))
            if open_brackets and open_brackets[-1] == "]":
                in_list = anywhere
    cut, closing = in_list if in_list[0] else anywhere
    return text[:cut] + closing
