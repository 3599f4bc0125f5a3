"""JSON as training programs write it, and the numbers and settings inside it.

Trackers nest their values, with words for what JSON cannot spell:

{"a": 1, "b": {"c": "NaN"}}            a = 1, b.c = nan
{"_type": "histogram", "bins": [...]}  media: no number

Programs write bare NaN and several values in one file, and are cut off at the end:

{"step": 10, "loss": NaN}
[{"step": 10, "loss": 0.5}, {"step": 20, "lo        the writer was killed here
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import msgspec

from traindx.quantities import REWARD
from traindx.readers.names.vocabulary import fact_of, meaning
from traindx.readers.types import Log
from traindx.run import Better, Scalar

_WORDS = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_DEEPEST = 16


def decoded(text: bytes | str) -> object:
    """The value of a JSON text, bare NaN and Infinity included; raises ValueError where it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError):
        pass
    except RecursionError:
        raise ValueError("nested too deeply") from None
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def leaves(name: str, value: object, depth: int = 0) -> Iterator[tuple[str, float | str]]:
    """Each number under its dotted name; what is no number comes as the word for it, null not at all."""
    if isinstance(value, bool | int | float):
        try:
            yield name, float(value)
        except OverflowError:
            yield name, float("inf") if value > 0 else float("-inf")
    elif isinstance(value, str):
        yield name, _WORDS.get(value, "text")
    elif isinstance(value, list):
        yield name, "a list"
    elif isinstance(value, dict):
        if "_type" in value or depth == _DEEPEST:
            yield name, "media" if "_type" in value else "nested too deeply"
            return
        for key, item in value.items():
            yield from leaves(f"{name}.{key}" if name else str(key), item, depth + 1)


def flattened(
    document: Mapping[object, object], prefix: str = "", depth: int = 8
) -> Iterator[tuple[str, Scalar]]:
    """The scalars of a nested document under dotted names; W&B's {desc, value} pairs count as their value."""
    for key, value in document.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and "value" in value and set(value) <= {"desc", "value"}:
            value = value["value"]  # noqa: PLW2901  W&B wraps each setting
        if isinstance(value, str):
            yield name, number_or_text(value)
        elif isinstance(value, bool | int | float):
            yield name, value
        elif isinstance(value, dict) and depth > 0 and key != "_wandb":
            yield from flattened(value, f"{name}.", depth - 1)


def number_or_text(text: str) -> Scalar:
    """A number where the text is one (YAML leaves 1e-4 a string), else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text[:500])


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


def only_sets(log: Log) -> bool:
    """Whether a log states facts of a run and measures nothing."""
    measured = [means for column in log.columns if (means := meaning(column.name, column.split))]
    names = [*log.settings, *(column.name for column in log.columns)]
    if any(means.quantity.better is not Better.NEITHER for means in measured) or not any(map(fact_of, names)):
        return False
    return all(len(column.values) == 1 or meaning(column.name) is None for column in log.columns)
