"""Reading TensorBoard event files: traindx against TensorBoard's own readers and tbparse.

Every tool keeps all points: EventAccumulator and the data server drop most by default. The data server is a
program of its own; its CPU time and that of the client that fetches the points count together.
"""

import argparse
import os
import struct
import subprocess
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from row import Row
from traindx.readers.binary.tfrecord import crc32c, masked, masked_crc32c, shares
from traindx.readers.tensorboard import READER
from traindx.readers.types import HEAD_BYTES, Source

_NAMES = ("loss", "accuracy", "lr", "grad_norm", "throughput", "memory", "epoch", "time", "f1", "perplexity")
_REPEATS = 3


@dataclass(frozen=True)
class Took:
    """The points a tool found, and the CPU seconds it spent in other processes."""

    points: int
    elsewhere: float = 0.0


def measure(points: int = 1_000_000, tags: int = 20) -> list[Row]:
    """All tools on one file of scalars as PyTorch writes them, in turns."""
    work = f"{points:,} TensorBoard scalars, {tags} tags"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.out.tfevents.1"
        path.write_bytes(_file(points // tags, [f"{_NAMES[i % 10]}/{i // 10}" for i in range(tags)]))
        here, missing = _tools()
        seconds: dict[str, list[float]] = {tool: [] for tool in here}
        for _ in range(_REPEATS):
            for tool, read in here.items():
                # Ours is short: measured before every other, it meets the same noise as they do.
                seconds["traindx"].append(_timed(_traindx, path, points // tags * tags))
                if tool != "traindx":
                    seconds[tool].append(_timed(read, path, points // tags * tags))
        peak, arrays = _peak(path)
    note = f"peak {peak / arrays:.1f} times the arrays; all checksums verified"
    ours = Row(work, "traindx", min(seconds.pop("traindx")), peak / 1e6, note)
    others = [Row(work, tool, min(taken)) for tool, taken in seconds.items()]
    return [ours, *others, *(Row(work, tool, None, note="not installed") for tool in missing)]


def _tools() -> tuple[dict[str, Callable[[Path], Took]], list[str]]:
    """The tools that can be measured here, and those that cannot."""
    known: dict[str, tuple[str, Callable[[Path], Took]]] = {
        "traindx": ("traindx", _traindx),
        "EventAccumulator": ("tensorboard", _event_accumulator),
        "tbparse": ("tbparse", _tbparse),
        "tensorboard-data-server": ("tensorboard_data_server", _data_server),
    }
    here = {tool: read for tool, (module, read) in known.items() if find_spec(module)}
    return here, [tool for tool in known if tool not in here]


def _timed(read: Callable[[Path], Took], path: Path, points: int) -> float:
    begun = time.process_time()
    took = read(path)
    seconds = time.process_time() - begun
    assert took.points == points, f"{took.points} points read of {points}"
    return seconds + took.elsewhere


def _peak(path: Path) -> tuple[int, int]:
    """The peak of the memory our reader allocates, and the bytes of the arrays it returns."""
    tracemalloc.start()
    took = _traindx(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A value, a step, a row and a time of eight bytes each.
    return peak, took.points * 32


def _traindx(path: Path) -> Took:
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    (log,) = READER.read(Source(str(path), head))
    return Took(sum(len(column.values) for column in log.columns))


def _event_accumulator(path: Path) -> Took:
    module = import_module("tensorboard.backend.event_processing.event_accumulator")
    accumulator = module.EventAccumulator(str(path), size_guidance={"scalars": 0})
    accumulator.Reload()
    return Took(sum(len(accumulator.Scalars(tag)) for tag in accumulator.Tags()["scalars"]))


def _tbparse(path: Path) -> Took:
    reader = import_module("tbparse").SummaryReader(str(path), extra_columns={"wall_time"})
    return Took(len(reader.scalars))


def _data_server(path: Path) -> Took:
    """Start the server on the folder, wait until it is idle, and fetch every point."""
    port = path.parent / "port"
    binary = import_module("tensorboard_data_server").server_binary()
    options = ["--reload", "once", "--samples-per-plugin", "scalars=all", "--checksum", "--die-after-stdin"]
    command = [binary, "--logdir", str(path.parent), "--port", "0", "--port-file", str(port), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as server:
        used = -1.0
        while used != _cpu_seconds(server.pid) or not port.exists():
            used = _cpu_seconds(server.pid)
            time.sleep(0.5)
        points = _fetched(int(port.read_text()))
        elsewhere = _cpu_seconds(server.pid)
    port.unlink()
    return Took(points, elsewhere)


def _cpu_seconds(process: int) -> float:
    times = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def _fetched(port: int) -> int:
    grpc, provider = import_module("grpc"), import_module("tensorboard.data.grpc_provider")
    address = f"localhost:{port}"
    with grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", 1 << 30)]) as channel:
        stub = provider.data_provider_pb2_grpc.TensorBoardDataProviderStub(channel)
        context = import_module("tensorboard.context").RequestContext()
        runs = provider.GrpcDataProvider(address, stub).read_scalars(
            context, experiment_id="", plugin_name="scalars", downsample=1 << 30
        )
        return sum(len(series) for run in runs.values() for series in run.values())


def _file(steps: int, tags: list[str]) -> bytes:
    """An event file: its version, then every tag at every step."""
    noise = np.random.default_rng(0)
    version = b"\x09" + struct.pack("<d", 1.7e9) + _field(3, b"brain.Event:2")
    parts = [_header(len(version)) + version + struct.pack("<I", masked_crc32c(version))]
    bounds = [0, 1, *(1 << 7 * width for width in range(1, 5))]
    for width, (first, end) in enumerate(pairwise(bounds)):
        numbers = np.arange(first, min(end, steps))
        records = [_records(tag, width, numbers, noise) for tag in tags]
        parts.append(np.concatenate(records, axis=1).tobytes())
    return b"".join(parts)


def _records(tag: str, width: int, steps: NDArray[np.int64], noise: np.random.Generator) -> NDArray[np.uint8]:
    """The framed records of one tag at steps whose varints are of one width, a row each."""
    summary = _field(5, _field(1, _field(1, tag.encode()) + b"\x15" + bytes(4)))
    sample = b"\x09" + bytes(8) + (b"\x10" + bytes(width) if width else b"") + summary
    rows = np.tile(np.frombuffer(sample, np.uint8), (len(steps), 1))
    rows[:, 1:9] = (1.7e9 + steps + noise.random(len(steps)))[:, None].view(np.uint8)
    for i in range(width):
        rows[:, 10 + i] = steps >> 7 * i & 0x7F | (0x80 if i < width - 1 else 0)
    rows[:, -4:] = noise.normal(size=len(steps)).astype(np.float32)[:, None].view(np.uint8)
    crc = np.full(len(steps), crc32c(bytes(len(sample))), np.uint32)
    for i in range(len(sample)):
        crc ^= shares(len(sample))[len(sample) - 1 - i].take(rows[:, i])
    header = np.tile(np.frombuffer(_header(len(sample)), np.uint8), (len(steps), 1))
    return np.concatenate([header, rows, masked(crc)[:, None].view(np.uint8)], axis=1)


def _header(length: int) -> bytes:
    raw = struct.pack("<Q", length)
    return raw + struct.pack("<I", masked_crc32c(raw))


def _field(number: int, data: bytes) -> bytes:
    assert len(data) < 128, "a length of one byte"
    return bytes([number << 3 | 2, len(data)]) + data


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--tags", type=int, default=20)
    for row in measure(**vars(parser.parse_args())):
        print(row)
