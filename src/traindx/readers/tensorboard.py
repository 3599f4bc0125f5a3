"""TensorBoard event files.

    {wall_time: 1700000000.1, file_version: "brain.Event:2"}
    {wall_time: 1700000001.5, step: 10, summary {value {tag: "train/loss", simple_value: 0.71}}}
    {wall_time: 1700000002.5, step: 1, summary {value {tag: "epoch_loss", tensor {dtype: DT_FLOAT, ...}}}}

Binary: messages (`protobuf`) in checksummed frames (`tfrecord`). Traps: all files of a folder are one
run; TensorFlow 2 and Keras write scalars as tensors; step 0 is not written; the step of Keras's `epoch_...`
tags is an epoch; images and histograms fill most of some files; the last record is incomplete while the
writer is alive.
"""

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from traindx.errors import UnreadableError
from traindx.readers.binary.protobuf import WireError, parse_event
from traindx.readers.binary.tfevent_file import Contents, collect
from traindx.readers.binary.tfevent_layout import Points
from traindx.readers.binary.tfrecord import HEADER_BYTES, LONGEST, Ending, header_length
from traindx.readers.tabular.json_values import decoded, flattened, number_or_text
from traindx.readers.types import Column, Log, Reader, Source
from traindx.run import Axis, Event, EventKind, Floats, Rows, Scalar, Skipped

_Number = TypeVar("_Number", np.float64, np.int64)
_PIECE = 1 << 22
_TEXT_SUFFIX = "/text_summary"
_JUST_SETTINGS = frozenset({"args", "config", "hparams", "hyperparameters", "params"})
"""Tags of texts that say no more than that settings follow."""


def recognizes(source: Source) -> float:
    """Sure if the first record is framed as a TFRecord and parses as an event."""
    head = source.head
    length = header_length(head[:HEADER_BYTES])
    if not length:
        return 0.0
    record = head[HEADER_BYTES : HEADER_BYTES + length]
    if len(record) < length:
        # Torn or very long: an event starts with its wall time, a double.
        return 0.9 if record[:1] == b"\x09" else 0.0
    try:
        event = parse_event(record)
    except WireError:
        return 0.0
    if event.version.startswith("brain.Event"):
        return 1.0
    return 0.95 if event.seconds_at >= 0 else 0.0


def read(source: Source) -> Iterator[Log]:
    """Read one event file."""
    contents = collect(source.blocks(_PIECE))
    columns = _columns(list(contents.tags), [contents.points[number] for number in contents.tags.values()])
    contents.points.clear()
    settings = dict(contents.settings)
    for tag, text in contents.texts.items():
        stated = _settings_in(tag.removesuffix(_TEXT_SUFFIX), text)
        settings = {**stated, **settings}
        if stated:
            del contents.others["text", tag]
    if not columns and not settings:
        raise UnreadableError(source.path, _nothing(contents), "log scalars, and flush or close the writer")
    yield Log(
        source=source.path,
        columns=tuple(sorted(columns, key=lambda column: int(column.rows[0]))),
        settings=settings,
        events=tuple(_events(contents)),
        unread=(*_others(contents), *_damage(contents)),
    )


READER = Reader("tensorboard", "TensorBoard event file", recognizes, read, spans_folder=True)


def _columns(tags: list[str], points: list[list[Points]]) -> list[Column]:
    """Join the points of each tag, one kind of number after the other: so only one kind is held twice."""
    for tag in points:
        # Longer steps make another layout, which is read apart: put back in the order of the file.
        tag.sort(key=lambda piece: int(piece.rows[0]))
    rows = [[piece.rows for piece in tag] for tag in points]
    steps = [[piece.steps for piece in tag] for tag in points]
    values = [[piece.values for piece in tag] for tag in points]
    seconds = [[piece.seconds for piece in tag] for tag in points]
    for tag in points:
        tag.clear()
    joined = zip(tags, _joined(values), _joined(steps), _joined(rows), _joined(seconds), strict=True)
    return [_column(*arrays) for arrays in joined]


def _joined(pieces: list[list[NDArray[_Number]]]) -> list[NDArray[_Number]]:
    whole = [np.concatenate(parts) for parts in pieces]
    pieces.clear()
    return whole


def _column(tag: str, values: Floats, steps: Floats, rows: Rows, seconds: Floats) -> Column:
    # Keras's own tags have no place in front: AllenNLP's epoch_metrics/loss counts batches.
    axis = Axis.EPOCH if tag.startswith("epoch_") and "/" not in tag else Axis.STEP
    column = Column(tag, values, steps, rows, axis, seconds)
    return column.at(np.argsort(rows, kind="stable")) if np.any(rows[1:] < rows[:-1]) else column


def _events(contents: Contents) -> Iterator[Event]:
    for step in contents.sessions:
        if step > 0:
            yield Event(EventKind.RESUMED, f"a new session starts at step {step}", float(step))
    if contents.ending is Ending.TORN:
        yield Event(EventKind.TORN, f"the file ends inside the record at byte {contents.ending_at}")


def _others(contents: Contents) -> Iterator[Skipped]:
    for (kind, tag), count in contents.others.items():
        yield Skipped(f"{kind} {tag}".strip(), count, "not a curve")
    for length in contents.too_long:
        yield Skipped(f"record of {length} bytes", 1, f"longer than {LONGEST} bytes")


def _damage(contents: Contents) -> Iterator[Skipped]:
    if contents.corrupt:
        why = f"checksum error, first at byte {min(contents.corrupt)}"
        yield Skipped("corrupt record", len(contents.corrupt), why)
    if contents.ending is Ending.CORRUPT:
        why = f"checksum error in the length at byte {contents.ending_at}; later records cannot be found"
        yield Skipped("rest of the file", 1, why)


def _nothing(contents: Contents) -> str:
    """What a file without scalars holds instead."""
    if contents.ending is Ending.TORN and contents.ending_at == 0:
        return "the event file ends inside its first record"
    held = [f"{other.count} x {other.name}" for other in _others(contents)]
    shown = ", ".join(held[:5]) + (f" and {len(held) - 5} more kinds" if len(held) > 5 else "")
    torn = "; the last record is incomplete" if contents.ending is Ending.TORN else ""
    damage = "".join(f"; {unread.name}: {unread.why}" for unread in _damage(contents))
    return f"an event file without scalars (found {shown or 'only its version'}){torn}{damage}"


def _settings_in(tag: str, text: str) -> dict[str, Scalar]:
    """Hyperparameters written as a text: a JSON object, or a Markdown table of names and values."""
    prefix = "" if tag.lower() in _JUST_SETTINGS else f"{tag}."
    if text.lstrip().startswith("{"):
        try:
            document = decoded(text)
        except ValueError:
            return {}
        return dict(flattened(document, prefix)) if isinstance(document, dict) else {}
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines()]
    if len(cells) < 3 or len(cells[0]) != 2 or cells[0][1].lower() != "value":
        return {}
    return {prefix + row[0]: number_or_text(row[1]) for row in cells[2:] if len(row) == 2}
