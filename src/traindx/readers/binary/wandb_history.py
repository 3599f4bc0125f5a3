"""The rows of a W&B history, protobuf bytes to numbers.

    item {nested_key: "loss" value_json: "0.25"} item {nested_key: "lr" value_json: "1e-3"} step {num: 3}

Rows are read some hundred at a time, all their items at once: the tag of `value_json` is searched for, and
the lengths around each place found must fit together so that items and step tile the row to the byte. A row
that does not tile, for it has another shape or holds those two bytes elsewhere, is walked field by field.
"""

import struct
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from traindx.readers.binary.protobuf import FIXED64, LENGTH, VARINT, WireError, fields, integer, varint
from traindx.readers.tabular.json_values import TrackedNumbers, decoded
from traindx.run import Floats, Rows

Flags = NDArray[np.bool_]

_ITEM, _STEP, _STEP_NUMBER = 1, 2, 1
_BOOLEAN, _INTEGER, _NUMBER, _TEXT, _JSON, _VALUE_JSON = 4, 5, 6, 7, 8, 16
_KEY_FIELDS = (1, 2)
_ITEM_TAG, _STEP_TAG, _NUM_TAG, _VALUE_TAG = 0x0A, 0x12, 0x08, (0x82, 0x01)
_ONE_BYTE = 0x80
"""Lengths below this take one byte."""
_STEP_BYTES = 5
_BATCH_BYTES = 1 << 18
"""Small enough for the arrays of a batch to stay in the cache."""
_BATCH_ROWS = 64
_NUMBERS = msgspec.json.Decoder(list[float])
_MINUS, _ZERO, _NINE, _COMMA = b"-09,"
_WORDS = {b"NaN": np.nan, b"Infinity": np.inf, b"-Infinity": -np.inf, b"true": 1.0, b"false": 0.0}
"""What may stand for a number and is none in JSON; two letters and the length tell which."""


@dataclass(frozen=True, eq=False)
class _Batch:
    """Rows end to end, and where each lies."""

    data: bytes
    starts: Rows
    ends: Rows
    first_row: int


@dataclass(frozen=True, eq=False)
class _Items:
    """Items of many rows: of each its row, and where in the data its key, value tag and end lie."""

    row: Rows
    key: Rows
    tag: Rows
    end: Rows

    def only(self, which: Flags) -> "_Items":
        """Some of the items."""
        return _Items(self.row[which], self.key[which], self.tag[which], self.end[which])


@dataclass(frozen=True, eq=False)
class History:
    """All rows of a run."""

    steps: "array[float]" = field(default_factory=lambda: array("d"))
    """One per row; NaN where the row states none."""
    numbers: TrackedNumbers = field(default_factory=TrackedNumbers)


def read_history(rows: Iterable[bytes]) -> History:
    """Read rows, each the bytes of a HistoryRecord."""
    history = History()
    for batch in _batches(rows):
        _read(batch, history)
    return history


def _batches(rows: Iterable[bytes]) -> Iterator[_Batch]:
    waiting: list[bytes] = []
    size = first = 0
    for row in rows:
        waiting.append(row)
        size += len(row)
        # A batch of few but wide rows would hold a handful of values of each key.
        if size > _BATCH_BYTES and (len(waiting) >= _BATCH_ROWS or size > 16 * _BATCH_BYTES):
            yield _batch(waiting, first)
            first += len(waiting)
            waiting, size = [], 0
    if waiting:
        yield _batch(waiting, first)


def _batch(rows: list[bytes], first: int) -> _Batch:
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    ends = np.cumsum(lengths)
    # Padded, so that looking as far ahead as a one-byte length reaches needs no check.
    return _Batch(b"".join(rows) + bytes(512), ends - lengths, ends, first)


def _read(batch: _Batch, history: History) -> None:
    """Add the rows of a batch."""
    items, steps, usual = _tiles(batch)
    _place(batch, items, history)
    for number in np.flatnonzero(~usual).tolist():
        row = batch.data[batch.starts[number] : batch.ends[number]]
        try:
            steps[number] = _walk(row, batch.first_row + number, history)
        except WireError:
            history.numbers.odd["history rows", "not a protobuf message"] += 1
    history.steps.frombytes(steps.tobytes())


def _tiles(batch: _Batch) -> tuple[_Items, Floats, Flags]:
    """The items and steps of the rows that have the usual shape, and which rows those are."""
    data = np.frombuffer(batch.data, np.uint8)
    tag = np.flatnonzero((data[:-1] == _VALUE_TAG[0]) & (data[1:] == _VALUE_TAG[1]))
    row = np.searchsorted(batch.ends, tag, side="right")
    end = tag + 3 + data[tag + 2]
    leads = np.diff(row, prepend=-1) > 0
    trails = np.diff(row, append=len(batch.ends)) > 0
    begin = np.where(leads, batch.starts[row], np.roll(end, 1))
    length = data[begin + 1]
    fits = (
        (data[begin] == _ITEM_TAG) & (length < _ONE_BYTE) & (begin + 2 + length == end) & (begin + 2 <= tag)
    )
    usual = np.zeros(len(batch.ends), dtype=np.bool_)
    usual[row[leads]] = True
    usual[row[~fits]] = False
    after = batch.starts.copy()
    after[row[trails]] = end[trails]
    steps, stated = _steps(data, after, batch.ends)
    usual &= stated
    return _Items(row, begin + 2, tag, end).only(usual[row]), steps, usual


def _steps(data: NDArray[np.uint8], start: Rows, end: Rows) -> tuple[Floats, Flags]:
    """The steps that lie between two places, and whether there is a step and nothing else."""
    stated = (data[start] == _STEP_TAG) & (start + 2 + data[start + 1] == end)
    empty = stated & (start + 2 == end)
    stated &= empty | (data[start + 2] == _NUM_TAG)
    steps = np.zeros(len(start))
    for number in range(_STEP_BYTES):
        at = start + 3 + number
        byte = data[np.minimum(at, end)]
        steps += np.where(at < end, (byte & 0x7F) * float(1 << 7 * number), 0.0)
        stated &= (at >= end) | ((byte < _ONE_BYTE) == (at == end - 1))
    stated &= end - start <= 3 + _STEP_BYTES
    return np.where(stated, steps, np.nan), stated


def _place(batch: _Batch, items: _Items, history: History) -> None:
    """Add the values of items under the names their keys spell."""
    text, rows = items.tag + 3, items.row + batch.first_row
    values, plain = _numbers(np.frombuffer(batch.data, np.uint8), text, items.end)
    for group in _by_key(batch.data, items):
        try:
            name = _name(batch.data[items.key[group[0]] : items.tag[group[0]]])
        except WireError:
            history.numbers.odd["history items", "not a protobuf message"] += len(group)
            continue
        numbers = group[plain[group]]
        if len(numbers):
            history.numbers.add_many(name, rows[numbers], values[numbers])
        for odd in group[~plain[group]].tolist():
            _place_json(name, batch.data[text[odd] : items.end[odd]], int(rows[odd]), history)


@lru_cache(maxsize=10_000)
def _name(keys: bytes) -> str:
    return item(keys, 0, len(keys))[0]


def _numbers(data: NDArray[np.uint8], start: Rows, end: Rows) -> tuple[Floats, Flags]:
    """The values of the JSON texts that lie between two places, and which of them are plain numbers."""
    first, second = data[start], data[start + 1]
    plain = _is_digit(first) | ((first == _MINUS) & _is_digit(second))
    values = np.full(len(start), np.nan)
    try:
        values[plain] = _decoded_at_once(data, start[plain], end[plain])
    except (msgspec.MsgspecError, ValueError):
        plain[:] = False  # one of them only looks like a number: each is asked
    others = np.flatnonzero(~plain)
    for word, number in _WORDS.items():
        spelt = (first[others] == word[0]) & (second[others] == word[1]) & (end - start == len(word))[others]
        values[others[spelt]] = number
        plain[others[spelt]] = True
    return values, plain


def _is_digit(byte: NDArray[np.uint8]) -> Flags:
    return (byte >= _ZERO) & (byte <= _NINE)


def _decoded_at_once(data: NDArray[np.uint8], start: Rows, end: Rows) -> list[float]:
    lengths = end - start + 1  # with room for a comma
    filled = np.cumsum(lengths)
    where = np.repeat(start - filled + lengths, lengths) + np.arange(lengths.sum())
    text = data[where]
    text[filled - 1] = _COMMA
    return _NUMBERS.decode(b"[" + text[:-1].tobytes() + b"]")


def _by_key(data: bytes, items: _Items) -> list[Rows]:
    """The indexes of the items of each key."""
    words = np.ndarray((len(data) - 7,), np.dtype("<u8"), data, strides=(1,))
    length = items.tag - items.key
    # Keys are told apart by a hash of 64 bits, eight bytes of them at a time.
    mixed = length.astype(np.uint64)
    for offset in range(0, int(length.max(initial=0)), 8):
        word = words[items.key + offset] & _LOWEST_BYTES[np.clip(length - offset, 0, 8)]
        mixed = (mixed ^ word) * np.uint64(0x9E37_79B9_7F4A_7C15)
        mixed ^= mixed >> np.uint64(29)
    order = np.argsort(mixed, kind="stable")
    return [g for g in np.split(order, np.flatnonzero(np.diff(mixed[order])) + 1) if len(g)]


_LOWEST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], dtype=np.uint64)
"""Masks that keep the first bytes of a little-endian word."""


def _place_json(name: str, text: bytes, row: int, history: History) -> None:
    try:
        value = decoded(text)
    except ValueError:
        history.numbers.odd[name, "not JSON"] += 1
    else:
        history.numbers.add(name, row, value)


def _walk(row: bytes, number: int, history: History) -> float:
    """Add a row of any shape, and return its step; NaN where it states none."""
    step = float("nan")
    for field_number, wire, start, end in fields(row):
        if wire != LENGTH:
            continue
        if field_number == _ITEM:
            name, value = item(row, start, end)
            if isinstance(value, bytes):
                _place_json(name, value, number, history)
            else:
                history.numbers.add(name, number, value)
        elif field_number == _STEP:
            step = float(integer(row, _STEP_NUMBER, (start, end)))
    return step


def item(data: bytes, start: int, end: int) -> tuple[str, object]:
    """The name of an item, and its value: JSON as bytes, or what a typed field holds."""
    keys: list[str] = []
    value: object = None
    for number, wire, begin, finish in fields(data, start, end):
        if wire == LENGTH and number in _KEY_FIELDS:
            keys.append(data[begin:finish].decode("utf-8", "replace"))
        elif wire == LENGTH and number in (_JSON, _VALUE_JSON):
            value = data[begin:finish]
        elif wire == LENGTH and number == _TEXT:
            value = data[begin:finish].decode("utf-8", "replace")
        elif wire == FIXED64 and number == _NUMBER:
            (value,) = struct.unpack_from("<d", data, begin)
        elif wire == VARINT and number == _INTEGER:
            folded = varint(data, begin)[0]
            value = folded >> 1 ^ -(folded & 1)
        elif wire == VARINT and number == _BOOLEAN:
            value = data[begin] != 0
    return ".".join(keys), value
