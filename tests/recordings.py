"""Small recordings, written by the real tape."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from traindx.quantities import TRAIN_LOSS, WALL_TIME
from traindx.recorder.recording_writer import LayerRecord, RecordingWriter
from traindx.run import Fact, Quantity, Scalar

META: Mapping[str, object] = {
    "traindx": "0.4",
    "python": "3.11.9",
    "torch": "2.13.0",
    "script": "train.py",
    "arguments": ["--lr", "0.1"],
    "pid": 41,
    "rank": 0,
    "ranks": 1,
    "began": 1.7e9,
}


def tape_at(path: Path, **meta: object) -> RecordingWriter:
    """A new recording."""
    writer = RecordingWriter()
    writer.open(path, {**META, **meta})
    return writer


def where(writer: RecordingWriter) -> Path:
    """The file of a recording."""
    assert writer.path is not None
    return writer.path


def write_steps(
    writer: RecordingWriter,
    stream: int,
    columns: Mapping[Quantity, Sequence[float]],
    *,
    begins: float = 0.0,
    every: float = 1.0,
    first: int = 1,
) -> None:
    """One row per step: the time, and a value of each quantity."""
    numbers = [writer.column(stream, quantity.slug) for quantity in (WALL_TIME, *columns)]
    rows = writer.rows_of(writer.layout(tuple(numbers)))
    for index, values in enumerate(zip(*columns.values(), strict=True)):
        rows.extend((first + index, begins + every * index, *values))
    writer.flush()


def write_look(
    writer: RecordingWriter, stream: int, step: int, quantity: Quantity, values: Mapping[str, float]
) -> None:
    """The values of one quantity for some layers at one step."""
    columns = tuple(writer.column(stream, quantity.slug, layer) for layer in values)
    writer.rows_of(writer.layout(columns)).extend((step, *values.values()))


def write_facts(writer: RecordingWriter, stream: int, facts: Mapping[Fact, Scalar]) -> None:
    """State facts."""
    for fact, value in facts.items():
        writer.state(stream, fact.slug, value)


def layer(name: str, *shape: int, kind: str = "Linear", **flags: bool) -> LayerRecord:
    """A parameter in good order, but for the flags given."""
    return LayerRecord(name, kind, shape, **{"trainable": True, "optimized": True, "gradient": True, **flags})


def one_training(path: Path, losses: Sequence[float], **meta: object) -> Path:
    """A closed recording of one training with nothing but losses; returns its path."""
    writer = tape_at(path, **meta)
    writer.begin(1, "model", [])
    write_steps(writer, 1, {TRAIN_LOSS: losses})
    writer.close()
    return where(writer)
