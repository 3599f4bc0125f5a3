"""JSON as training programs write it: documents, the settings inside, and numbers gathered row by row.

Trackers nest their values, with words for what JSON cannot spell:

    row 0   {"loss": 0.5, "nest": {"a": 1}, "image": {"_type": "image-file", "width": 4}}
    row 1   {"loss": "NaN", "note": "warm-up over"}

gives the columns `loss` and `nest.a`; `image` is media and `note` is text, both counted as unread.
Programs write bare NaN and several values in one file, and are cut off at the end:

{"step": 10, "loss": NaN}
[{"step": 10, "loss": 0.5}, {"step": 20, "lo        the writer was killed here
"""

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec
import numpy as np

from traindx.errors import UnreadableError
from traindx.quantities import REWARD
from traindx.readers.names.vocabulary import fact_of, meaning
from traindx.readers.types import Column, Log, Source
from traindx.run import Better, Floats, Rows, Scalar, Skipped

_WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
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


def document_of(source: Source) -> Document:
    """The document that a source is; raises `UnreadableError` where it is no JSON."""
    try:
        return document_in(source.read())
    except ValueError as error:
        raise UnreadableError(source.path, "not JSON", "check that the file is complete") from error


def names_a_metric(head: bytes) -> bool:
    """Whether a name that is known for a loss, a metric or a reward has a number or a list beside it."""
    names = [match[1] for match in islice(_NUMBER_OF.finditer(head), 300)]
    if b'alue"' in head:  # {"metric": "loss", "value": 0.5}
        names += [match[1] for match in islice(_METRIC.finditer(head), 300)]
    columns = _COLUMNS.search(head)
    names += _TEXT.findall(columns[1]) if columns else []
    known = (meaning(name.decode("utf-8", "replace")) for name in set(names))
    return any(
        known_meaning and (known_meaning.quantity.split or known_meaning.quantity is REWARD)
        for known_meaning in known
    )


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


_TYPE = "._type"
"""How the name of a leaf ends that says which kind of media its dict is."""


@dataclass(frozen=True, eq=False)
class TrackedNumbers:
    """Numbers by name in the order they were found, and how often something else stood there."""

    rows: dict[str, "array[int]"] = field(default_factory=dict)
    values: dict[str, "array[float]"] = field(default_factory=dict)
    odd: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Counts by name and by what it is instead of a number."""

    def add(self, name: str, row: int, value: object) -> None:
        """Add the number, or the numbers of a nested value, that a row holds under a name."""
        for leaf, leaf_value in leaves(name, value):
            if isinstance(leaf_value, str):
                self.odd[leaf, leaf_value] += 1
            else:
                self.rows.setdefault(leaf, array("q")).append(row)
                self.values.setdefault(leaf, array("d")).append(leaf_value)

    def add_many(self, name: str, rows: Rows, values: Floats) -> None:
        """Add the numbers of many rows under a name."""
        self.rows.setdefault(name, array("q")).frombytes(rows.tobytes())
        self.values.setdefault(name, array("d")).frombytes(values.tobytes())

    def take(self, name: str) -> tuple[Rows, Floats]:
        """Remove the numbers of a name and return them in the order of their rows."""
        if name not in self.rows:
            return np.empty(0, np.int64), np.empty(0)
        rows, values = np.frombuffer(self.rows.pop(name), np.int64), np.frombuffer(self.values.pop(name))
        if np.all(rows[1:] >= rows[:-1]):
            return rows, values
        order = np.argsort(rows, kind="stable")
        return rows[order], values[order]

    def take_spread(self, name: str, length: int) -> Floats:
        """Remove the numbers of a name and return one per row, NaN where there is none."""
        spread = np.full(length, np.nan)
        rows, values = self.take(name)
        spread[rows] = values
        return spread


def columns_of(gathered: TrackedNumbers, steps: Floats, seconds: Floats) -> Iterator[Column]:
    """Take all numbers and give each the step and the time of its row, which are NaN where not known."""
    everything = np.arange(len(steps))
    media = _media(gathered)
    for name in sorted(gathered.rows, key=lambda name: (gathered.rows[name][0], name)):
        rows, values = gathered.take(name)
        if _belongs(name, media):
            continue
        lost = np.isnan(steps[rows])
        if lost.any():
            gathered.odd[name, "in a row without a step"] += int(np.count_nonzero(lost))
            rows, values = rows[~lost], values[~lost]
        if not len(rows):
            continue
        # Columns that stand in every row share their rows, steps and times.
        dense = len(rows) == len(everything)
        when = seconds if dense else seconds[rows]
        yield Column(
            name=name,
            values=values,
            steps=steps if dense else steps[rows],
            rows=everything if dense else rows,
            times=None if np.isnan(when).any() else when,
        )


def unread_of(gathered: TrackedNumbers) -> Iterator[Skipped]:
    """Say what is no number."""
    media = _media(gathered)
    for name, count in media.items():
        yield Skipped(name, count, "media, not a number")
    for (name, what), count in gathered.odd.items():
        if not _belongs(name, media):
            yield Skipped(name, count, f"{what}, not a number")


def _media(gathered: TrackedNumbers) -> Counter[str]:
    """The names of pictures, histograms and tables that were logged leaf by leaf."""
    typed = ((name, count) for (name, _), count in gathered.odd.items() if name.endswith(_TYPE))
    return Counter({name.removesuffix(_TYPE): count for name, count in typed})


def _belongs(name: str, media: Counter[str]) -> bool:
    return any(name.startswith(f"{medium}.") for medium in media)


def distinct_names(names: Sequence[str], identities: Sequence[str]) -> list[str]:
    """The names, those that are shared followed by the start of the identity, or by all of it if need be."""
    uses = Counter(names)
    short = [n if uses[n] == 1 else f"{n} {i[:8]}" for n, i in zip(names, identities, strict=True)]
    uses = Counter(short)
    return [s if uses[s] == 1 else f"{n} {i}" for n, s, i in zip(names, short, identities, strict=True)]
