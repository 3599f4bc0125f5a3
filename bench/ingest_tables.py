"""Reading tables: traindx against pandas, polars and the standard library.

Numbers are written with all their digits, as loggers do, and the last row is compared with what was written.
traindx's memory is the peak of what it allocates, beside the size of the arrays it returns.
"""

import csv
import json
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from row import Row
from traindx.readers import delimited, json_lines
from traindx.readers.types import HEAD_BYTES, Log, Reader, Source
from traindx.run import Floats

_REPEATS = 5
Tools = dict[str, Callable[[str], object]]


def measure(rows: int = 1_000_000) -> list[Row]:
    """A full table, a sparse one as Lightning writes them, and JSON Lines."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            *_dense(Path(folder) / "dense.csv", rows, 20),
            *_sparse(Path(folder) / "sparse.csv", rows // 2, 20),
            *_json_lines(Path(folder) / "log.jsonl", rows, 5),
        ]


def _dense(path: Path, rows: int, width: int) -> list[Row]:
    last = _write(path, rows, width, lambda row, values: f"{row},0," + ",".join(map(repr, values[1:])))
    return _compare(f"CSV, {rows:,} rows of {width} numbers", path, delimited.READER, _of_csv(), last)


def _sparse(path: Path, rows: int, width: int) -> list[Row]:
    """Epoch and step in every row, and three metrics of the others by turns."""

    def line(row: int, values: list[float]) -> str:
        cells = [str(row), str(row // 1000)] + [""] * (width - 2)
        turn = 2 + row % 6 * 3
        cells[turn : turn + 3] = map(repr, values[turn - 1 : turn + 2])
        return ",".join(cells)

    last = _write(path, rows, width, line)
    return _compare(
        f"CSV, {rows:,} rows of {width} cells, 75% blank", path, delimited.READER, _of_csv(), last
    )


def _json_lines(path: Path, rows: int, width: int) -> list[Row]:
    names = [f"loss{number}" for number in range(1, width)]
    with path.open("w") as file:
        for row, values in enumerate(_random_rows(rows, width - 1)):
            file.write(json.dumps({"step": row, **dict(zip(names, values, strict=True))}) + "\n")
    work = f"JSON Lines, {rows:,} records of {width} numbers"
    return _compare(work, path, json_lines.READER, _of_json_lines(), np.array(values))


def _random_rows(rows: int, width: int) -> Iterator[list[float]]:
    rng = np.random.default_rng(0)
    for start in range(0, rows, 10_000):
        yield from rng.standard_normal((min(10_000, rows - start), width)).tolist()


def _write(path: Path, rows: int, width: int, line: Callable[[int, list[float]], str]) -> Floats:
    """Write the table; returns the numbers of its last row."""
    with path.open("w") as file:
        file.write("step,epoch," + ",".join(f"loss{number}" for number in range(2, width)) + "\n")
        for row, values in enumerate(_random_rows(rows, width - 1)):
            file.write(line(row, values) + "\n")
    return np.array(values)


def _of_csv() -> Tools:
    tools: Tools = {}
    if find_spec("pandas"):
        tools["pandas read_csv"] = import_module("pandas").read_csv
    if find_spec("polars"):
        tools["polars read_csv"] = import_module("polars").read_csv
    return {**tools, "csv and float()": _csv_module}


def _of_json_lines() -> Tools:
    tools: Tools = {}
    if find_spec("pandas"):
        tools["pandas read_json"] = lambda path: import_module("pandas").read_json(path, lines=True)
    if find_spec("polars"):
        tools["polars read_ndjson"] = import_module("polars").read_ndjson
    return {**tools, "json.loads": _json_module}


def _csv_module(path: str) -> list[list[float | None]]:
    with open(path, newline="") as file:
        reader = csv.reader(file)
        next(reader)
        return [[float(cell) if cell else None for cell in row] for row in reader]


def _json_module(path: str) -> list[object]:
    with open(path) as file:
        return [json.loads(line) for line in file]


def _compare(work: str, path: Path, reader: Reader, peers: Tools, last: Floats) -> list[Row]:
    def ours(path: str) -> list[Log]:
        with Path(path).open("rb") as stream:
            head = stream.read(HEAD_BYTES)
        return list(reader.read(Source(path, head)))

    tools: Tools = {"traindx": ours, **peers}
    seconds: dict[str, list[float]] = {tool: [] for tool in tools}
    for turn in range(_REPEATS):
        for tool, read in tools.items():
            if turn and tool in ("csv and float()", "json.loads"):
                continue  # once will do: they take many times as long
            begun = time.process_time()
            result = read(str(path))
            seconds[tool].append(time.process_time() - begun)
            del result
    tracemalloc.start()
    (log,) = ours(str(path))
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    end = max(column.rows[-1] for column in log.columns)
    read_back = [c.values[-1] for c in log.columns if c.rows[-1] == end and c.name.startswith("loss")]
    assert len(read_back) >= 3, "the last row was not read"
    assert np.isin(read_back, last).all(), "the last row is not what was written"
    rows = [Row(work, tool, min(seconds[tool])) for tool in peers]
    return [Row(work, "traindx", min(seconds["traindx"]), peak, f"arrays of {_megabytes(log):.0f} MB"), *rows]


def _megabytes(log: Log) -> float:
    """The size of the arrays of a log, those that columns share counted once."""
    arrays = {id(a): a for c in log.columns for a in (c.values, c.steps, c.rows, c.times) if a is not None}
    return sum(array.nbytes for array in arrays.values()) / 1e6
