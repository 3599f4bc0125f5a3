"""MLflow's file store: `mlruns/<experiment>/<run>/metrics/<key>`, one file per metric.

1794777885808 0.5 1
1794777885812 nan 5
1794777885813 inf 6 mydata 1a2b3c4d

A line is the time in milliseconds, the value and the step, then words for a data set or a model. Traps:
the name is only in the path, and a key with slashes makes folders below `metrics/`; the oldest files have
no step; what was logged without one has step 0.
"""

import re
from array import array
from collections.abc import Iterator
from pathlib import PurePath

import numpy as np

from traindx.errors import UnreadableError
from traindx.readers.types import HEAD_BYTES, Column, Log, Reader, Source
from traindx.run import Axis, Event, EventKind, Floats, Skipped

_LINE = re.compile(
    rb"^(1\d{9}(?:\d{3})?) ([-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf))(?: (-?\d{1,18})((?: \S+){0,3}))?\r?$",
    re.IGNORECASE | re.MULTILINE,
)

_Parts = tuple[bytes, bytes, bytes, bytes]
"""Time, value, step and further words of a line; the last two may be empty."""


def recognizes(source: Source) -> float:
    """0.85 where every whole line is a time of this century, a number and mostly a step."""
    head = source.head
    if not _LINE.match(head):
        return 0.0
    if b"\n" in head:
        head = head[: head.rindex(b"\n")]
    elif len(head) == HEAD_BYTES:
        return 0.0
    return 0.85 if len(_LINE.findall(head)) == head.count(b"\n") + 1 else 0.0


def read(source: Source) -> Iterator[Log]:
    """Yield the one metric of the file."""
    seconds, values, steps = array("d"), array("d"), array("d")
    lines, rest = 0, b""
    before: _Parts | None = None
    for block in source.blocks():
        whole, newline, rest = (rest + block).rpartition(b"\n")
        lines += whole.count(b"\n") + len(newline)
        for parts in _LINE.findall(whole):
            _add(parts, seconds, values, steps)
            before = parts
    last = _LINE.findall(rest)
    torn = bool(rest) and not (last and _is_whole(last[0], before))
    if last and not torn:
        _add(last[0], seconds, values, steps)
        lines += 1
    if not values:
        raise UnreadableError(
            source.path, "no line has a time, a value and a step", "choose an MLflow metric file"
        )
    bad = lines - len(values)
    yield Log(
        source=source.path,
        columns=(_column(_name(source.path), np.array(seconds), np.array(values), np.array(steps)),),
        events=(Event(EventKind.TORN, f"line {lines + 1:,} is cut off"),) if torn else (),
        unread=(Skipped("lines", bad, "no time, value and step"),) if bad else (),
    )


def _add(parts: _Parts, seconds: "array[float]", values: "array[float]", steps: "array[float]") -> None:
    time, value, step, _ = parts
    seconds.append(float(time) / 1000 if len(time) == 13 else float(time))
    values.append(float(value))
    steps.append(float(step) if step else float("nan"))


def _is_whole(last: _Parts, before: _Parts | None) -> bool:
    """Whether a line without its newline can be trusted to have all its digits.

    MLflow ends every line, but files that were copied by hand may not: a step that lost a digit goes back.
    """
    if not last[2]:
        return False
    return before is None or (last[3] == before[3] and int(last[2]) >= int(before[2] or 0))


def _column(name: str, seconds: Floats, values: Floats, steps: Floats) -> Column:
    rows = np.arange(len(values))
    if np.isnan(steps).any():
        return Column(name, values, rows.astype(np.float64), rows, Axis.RECORD, seconds)
    return Column(name, values, steps, rows, Axis.STEP, seconds)


def _name(path: str) -> str:
    """The metric's key: the path below the folder `metrics`, or else the name of the file."""
    parts = PurePath(path).parts
    folders = [number for number, part in enumerate(parts[:-1]) if part == "metrics"]
    return "/".join(parts[folders[-1] + 1 :]) if folders else parts[-1]


READER = Reader("mlflow_metric_file", "MLflow metric file", recognizes, read, spans_folder=True)
