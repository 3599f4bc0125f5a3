"""Reading a W&B offline run: traindx against the loop of wandb's last reader in Python.

wandb's wheels have held no reader of `.wandb` files since its core moved to Go. The loop measured here is our
own re-creation of what `DataStore.scan_data` and its callers did: LevelDB framing record by record, then
protobuf's `ParseFromString`, then `json.loads` of each item of the history.
"""

import json
import random
import struct
import tempfile
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from row import Row
from traindx.readers.types import HEAD_BYTES, Source
from traindx.readers.wandb_offline import READER

_BLOCK, _FILE_HEADER = 32_768, b":W&B\xe1\xbe\x00"
_METRICS = (
    "train/loss",
    "lr",
    "grad_norm",
    "train/accuracy",
    "val/loss",
    "val/accuracy",
    "tokens_per_second",
)
_CRC_OF_TYPE = [zlib.crc32(bytes((kind,))) for kind in range(5)]
_REPEATS = 5
_PEER = "wandb's Python loop"


def measure(rows: int = 100_000, keys: int = 7) -> list[Row]:
    """Both readers on a history alone, and on one with the summaries that wandb writes between its rows."""
    measured: list[Row] = []
    for work, with_summaries in (("", False), (" and their summaries", True)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.wandb"
            path.write_bytes(_file(_messages(rows, keys, with_summaries)))
            measured += _compare(f"{rows:,} W&B history rows of {keys} keys{work}", str(path), rows)
    return measured


def _compare(work: str, path: str, rows: int) -> list[Row]:
    tools: dict[str, Callable[[str], int]] = {"traindx": _traindx}
    missing: list[Row] = []
    if find_spec("wandb"):
        tools[_PEER] = _python_loop
    else:
        missing.append(Row(work, _PEER, None, note="not installed"))
    seconds: dict[str, list[float]] = {tool: [] for tool in tools}
    for _ in range(_REPEATS):
        for tool, read in tools.items():
            begun = time.process_time()
            assert read(path) == rows
            seconds[tool].append(time.process_time() - begun)
    return [Row(work, tool, min(seconds[tool]), _peak_mb(tools[tool], path)) for tool in tools] + missing


def _peak_mb(read: Callable[[str], int], path: str) -> float:
    tracemalloc.start()
    read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def _traindx(path: str) -> int:
    with Path(path).open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    (log,) = READER.read(Source(path, head))
    return next(len(column.values) for column in log.columns if column.name == "train/loss")


def _python_loop(path: str) -> int:
    messages = import_module("wandb.proto.wandb_internal_pb2")
    columns: dict[str, list[float]] = {}
    with Path(path).open("rb") as stream:
        for message in _scan(stream):
            record = messages.Record()
            record.ParseFromString(message)
            if record.WhichOneof("record_type") != "history":
                continue
            for item in record.history.item:
                key = item.key or ".".join(item.nested_key)
                columns.setdefault(key, []).append(json.loads(item.value_json))
    return len(columns["train/loss"])


def _scan(stream: BinaryIO) -> Iterator[bytes]:
    index = len(stream.read(len(_FILE_HEADER)))
    parts: list[bytes] = []
    while True:
        left = _BLOCK - index % _BLOCK
        if left < 7:
            stream.read(left)
            index += left
        header = stream.read(7)
        if len(header) < 7:
            return
        checksum, size, kind = struct.unpack("<IHB", header)
        data = stream.read(size)
        assert zlib.crc32(data, _CRC_OF_TYPE[kind]) & 0xFFFFFFFF == checksum
        index += 7 + size
        parts.append(data)
        if kind in (1, 4):
            yield b"".join(parts)
            parts = []


def _messages(rows: int, keys: int, with_summaries: bool) -> Iterator[bytes]:
    """Records as wandb 0.31 writes them: the items of a row in no order, its three own keys among them."""
    dice = random.Random(0)
    number = 0
    for step in range(rows):
        items = [_item(key, repr(dice.random())) for key in _METRICS[: keys - 3]]
        items += [_item("_step", str(step)), _item("_timestamp", repr(1.7e9 + step * 0.37))]
        items.append(_item("_runtime", repr(step * 0.371234)))
        dice.shuffle(items)
        if with_summaries:
            for body in (_item("_runtime", str(step)), b"".join(items)):
                number += 1
                yield b"\x08" + _varint(number) + _field(3, body)
        number += 1
        body = b"".join(items) + _field(2, b"\x08" + _varint(step) if step else b"")
        yield b"\x08" + _varint(number) + _field(2, body)


def _item(key: str, value: str) -> bytes:
    return _field(1, _field(2, key.encode()) + _field(16, value.encode()))


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _file(messages: Iterator[bytes]) -> bytes:
    out = bytearray(_FILE_HEADER)
    for message in messages:
        rest, first = message, True
        while rest or first:
            left = _BLOCK - len(out) % _BLOCK
            if left < 7:
                out += bytes(left)
                left = _BLOCK
            data, rest = rest[: left - 7], rest[left - 7 :]
            kind = (1 if first else 4) if not rest else (2 if first else 3)
            out += struct.pack("<IHB", zlib.crc32(data, _CRC_OF_TYPE[kind]), len(data), kind) + data
            first = False
    return bytes(out)


if __name__ == "__main__":
    for row in measure():
        print(row)
