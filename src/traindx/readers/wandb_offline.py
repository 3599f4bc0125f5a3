"""Weights & Biases offline runs: `wandb/offline-run-*/run-<id>.wandb`.

    run {config {update {key: "lr" value_json: "0.001"}} display_name: "my name"}
    history {item {nested_key: "train/loss" value_json: "NaN"} item {...} step {num: 3}}
    exit {exit_code: 255}

A LevelDB log of protobuf messages after a file header of 7 bytes (`:W&B`, 0xBEE1, 0).
Traps: the items of a row come in any order; a nested dict is one item per leaf with a `nested_key` for each
level, in older files one item with the dict as JSON; a picture or a histogram is such a dict with a `_type`;
NaN and infinities are bare words or quoted ones; the schema also has typed values next to `value_json`. The
writer flushes whole blocks, so a killed run often ends within a record, or right after the file header.
"""

import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.binary.protobuf import LENGTH, WireError, fields, integer, varint
from traindx.readers.binary.wandb_history import History, item, read_history
from traindx.readers.tabular.json_values import columns_of, decoded, flattened, unread_of
from traindx.readers.types import Column, Log, Reader, Source
from traindx.run import Event, EventKind, Scalar, Skipped

# Records of a LevelDB log, the framing that W&B writes its runs in.
#
#     crc32 of type and data (4 bytes) | length (2 bytes) | type (1 byte) | data
#
# Records lie in blocks of 32 KiB counted from the start of the file. One that does not fit into its block is
# split into a FIRST, any number of MIDDLE and a LAST part; fewer than 7 bytes left in a block are padding. A
# length cannot be trusted once its checksum fails, but the next block starts with a record again.
BLOCK_BYTES = 32_768

_HEADER = struct.Struct("<IHB")
_HEADER_BYTES = _HEADER.size
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_CRC_OF_TYPE = tuple(zlib.crc32(bytes((kind,))) for kind in range(256))


@dataclass(frozen=True)
class Damage:
    """A place at which records could not be read."""

    offset: int
    what: str
    at_end: bool
    """Nothing follows: the writer is alive or was killed, rather than the file damaged."""


def records(stream: BinaryIO, damage: list[Damage], *, start: int) -> Iterator[bytes]:
    """Yield the whole records after a file header of `start` bytes; append to `damage` what was skipped."""
    parts: list[bytes] = []
    offset = 0
    torn: tuple[int, str] | None = None
    crc_of, unpack = zlib.crc32, _HEADER.unpack_from
    while block := stream.read(BLOCK_BYTES):
        if torn:
            damage.append(Damage(*torn, at_end=False))
            torn = None
            parts = []
        at, end = 0 if offset else start, len(block)
        while end - at >= _HEADER_BYTES:
            crc, size, kind = unpack(block, at)
            stop = at + _HEADER_BYTES + size
            data = block[at + _HEADER_BYTES : stop]
            if stop > end or crc_of(data, _CRC_OF_TYPE[kind]) != crc:
                torn = (offset + at, "is cut off" if stop > end else "does not match its checksum")
                break
            at = stop
            if kind == _FULL:
                yield data
            elif kind == _FIRST:
                parts = [data]
            elif parts:  # else the rest of a record whose start was skipped
                parts.append(data)
                if kind == _LAST:
                    yield b"".join(parts)
                    parts = []
        else:
            if end < BLOCK_BYTES and at < end:
                torn = (offset + at, "is cut off")
        offset += end
    if parts and not torn:
        torn = (offset, "is cut off")
    if torn:
        damage.append(Damage(*torn, at_end=True))


_MAGIC = b":W&B\xe1\xbe"
_FILE_HEADER_BYTES = 7

# The numbers of fields: of a record, of what is only counted, of a run, and of an item of the configuration.
_HISTORY, _CONFIG, _RUN, _EXIT = 2, 5, 17, 18
_COUNTED = {4: "console output", 7: "system metrics", 10: "alerts", 13: "console output"}
_RUN_CONFIG, _RUN_NAME, _RUN_FIRST_STEP, _RUN_RESUMED = 4, 8, 14, 18
_UPDATE, _EXIT_CODE = 1, 1
_NUM_TAG, _HISTORY_TAG, _SUMMARY_TAG = 0x08, 0x12, 0x1A
_ONE_BYTE = 0x80
"""Numbers and lengths below this take one byte."""

_AFTER_INTERRUPT = 255
"""The exit code that wandb writes after a KeyboardInterrupt."""


def recognizes(source: Source) -> float:
    """1 where the file header is W&B's."""
    return 1.0 if source.head.startswith(_MAGIC) else 0.0


@dataclass(frozen=True, eq=False)
class _Aside:
    """What a file holds besides its history, filled while the history is read."""

    settings: dict[str, Scalar] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)


def read(source: Source) -> Iterator[Log]:
    """Yield the one run of the file."""
    damage: list[Damage] = []
    aside = _Aside()
    with source.open() as stream:
        history = read_history(_rows(records(stream, damage, start=_FILE_HEADER_BYTES), aside))
    columns = _columns(history)
    if not columns and not aside.settings and not aside.unread:
        raise UnreadableError(
            source.path,
            "no complete record of a run",
            "the run was killed before wandb wrote its first block",
        )
    yield Log(
        source=source.path,
        columns=columns,
        settings=aside.settings,
        events=(*aside.events, *_torn(damage)),
        unread=tuple(_unread(history, aside, damage)),
    )


def _rows(messages: Iterable[bytes], aside: _Aside) -> Iterator[bytes]:
    """Yield the history of the records, and set aside what else they say."""
    for message in messages:
        try:
            if message[0] == _NUM_TAG:
                at = 2
                while message[at - 1] >= _ONE_BYTE:
                    at += 1
                if message[at] == _SUMMARY_TAG:  # repeats the last row of the history
                    continue
                if message[at] == _HISTORY_TAG:
                    size, start = _length(message, at + 1)
                    yield message[start : start + size]
                    continue
            yield from _other(message, aside)
        except (WireError, IndexError):
            aside.unread["records that are not protobuf messages"] += 1


def _length(message: bytes, at: int) -> tuple[int, int]:
    """The length that stands at a place, and where it ends; quick for the two bytes of nearly every row."""
    low = message[at]
    if low >= _ONE_BYTE > message[at + 1]:
        return low & 0x7F | message[at + 1] << 7, at + 2
    return varint(message, at)


def _other(message: bytes, aside: _Aside) -> Iterator[bytes]:
    for number, wire, start, end in fields(message):
        if wire != LENGTH:
            continue
        if number == _HISTORY:
            yield message[start:end]
        elif number == _RUN:
            _start(message, start, end, aside)
        elif number == _CONFIG:
            _configure(message, start, end, aside)
        elif number == _EXIT:
            _finish(message, start, end, aside)
        elif number in _COUNTED:
            aside.unread[_COUNTED[number]] += 1


def _start(data: bytes, start: int, end: int, aside: _Aside) -> None:
    """Take the settings and the name of a RunRecord, and whether it resumes an earlier one."""
    for number, wire, begin, finish in fields(data, start, end):
        if number == _RUN_CONFIG and wire == LENGTH:
            _configure(data, begin, finish, aside)
        elif number == _RUN_NAME and wire == LENGTH:
            aside.settings["wandb.name"] = data[begin:finish].decode("utf-8", "replace")
    if integer(data, _RUN_RESUMED, (start, end)):
        step = integer(data, _RUN_FIRST_STEP, (start, end))
        aside.events.append(Event(EventKind.RESUMED, f"resumed at step {step}", float(step)))


def _configure(data: bytes, start: int, end: int, aside: _Aside) -> None:
    """Take the updates of a ConfigRecord."""
    for number, wire, begin, finish in fields(data, start, end):
        if number != _UPDATE or wire != LENGTH:
            continue
        name, text = item(data, begin, finish)
        try:
            aside.settings.update(flattened({name: decoded(text) if isinstance(text, bytes) else None}))
        except ValueError:
            aside.unread[f"setting {name}"] += 1


def _finish(data: bytes, start: int, end: int, aside: _Aside) -> None:
    """Take the exit code of a RunExitRecord."""
    code = integer(data, _EXIT_CODE, (start, end))
    aside.settings["exit_code"] = code
    if code == _AFTER_INTERRUPT:
        aside.events.append(Event(EventKind.INTERRUPTED, f"interrupted, exit code {code}"))
    elif code:
        aside.events.append(Event(EventKind.EXCEPTION, f"exit code {code}"))


def _columns(history: History) -> tuple[Column, ...]:
    """Give every number its step, from the row or else from its item `_step`, and its time."""
    length = len(history.steps)
    stated, seconds = (history.numbers.take_spread(name, length) for name in ("_step", "_timestamp"))
    steps = np.where(np.isnan(history.steps), stated, history.steps)
    return tuple(columns_of(history.numbers, steps, seconds))


def _unread(history: History, aside: _Aside, damage: Sequence[Damage]) -> Iterator[Skipped]:
    yield from unread_of(history.numbers)
    for name, count in aside.unread.items():
        yield Skipped(name, count, "not part of the history")
    for damaged in damage:
        if not damaged.at_end:
            why = f"a record {damaged.what}; continued at the next block of {BLOCK_BYTES:,} bytes"
            yield Skipped(f"damage at byte {damaged.offset:,}", 1, why)


def _torn(damage: Sequence[Damage]) -> Iterator[Event]:
    for damaged in damage:
        if damaged.at_end:
            yield Event(EventKind.TORN, f"the last record, at byte {damaged.offset:,}, {damaged.what}")


READER = Reader(slug="wandb_offline", title="W&B offline run", recognizes=recognizes, read=read)
