"""What is written is in the file: in time, whole, and never over another recording."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from array import array
from pathlib import Path

from traindx.readers.binary.recording_file import APPLICATION_ID, FORMAT
from traindx.recorder.recording_writer import LayerRecord, RecordingWriter
from traindx.run import Event, EventKind


def _rows(path: Path) -> list[tuple[int, list[float]]]:
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT layout, data FROM rows ORDER BY id").fetchall()
    return [(layout, array("d", data).tolist()) for layout, data in rows]


def test_rows_of_a_layout_stand_together(tmp_path: Path) -> None:
    writer = RecordingWriter()
    loss, rate = writer.column(1, "train_loss"), writer.column(1, "learning_rate")
    writer.open(tmp_path / "rank-0", {})
    rows = writer.rows_of(writer.layout((loss, rate)))
    rows.extend((1, 0.5, 0.1))
    rows.extend((2, float("inf"), 0.1))
    writer.flush()
    assert writer.path is not None
    assert _rows(writer.path) == [(1, [1, 0.5, 0.1, 2, float("inf"), 0.1])]
    writer.flush()
    assert len(_rows(writer.path)) == 1


def test_what_came_before_the_file_is_in_it(tmp_path: Path) -> None:
    writer = RecordingWriter()
    writer.begin(1, "Net", [])
    writer.state(1, "optimizer", "SGD")
    writer.state(1, "optimizer", "Adam")
    writer.happened(0, Event(EventKind.NONFINITE, "log of 0", 3, "fc2", "log", 7))
    writer.layers(1, [LayerRecord("fc.weight", "Linear", (2, 3), True, False, True)])
    writer.open(tmp_path / "rank-0", {"script": "train.py"})
    writer.close()
    with sqlite3.connect(tmp_path / "rank-0.traindx") as database:
        assert database.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert dict(database.execute("SELECT key, value FROM meta")) == {
            "format": json.dumps(FORMAT),
            "script": '"train.py"',
        }
        assert database.execute("SELECT slug, value FROM facts").fetchall() == [("optimizer", '"Adam"')]
        assert database.execute("SELECT step, kind, layer, operation, batch FROM events").fetchall() == [
            (3, "nonfinite", "fc2", "log", 7)
        ]
        assert database.execute("SELECT * FROM layers").fetchall() == [
            (1, 0, "fc.weight", "Linear", "[2, 3]", 1, 0, 1)
        ]


def test_closing_leaves_one_file(tmp_path: Path) -> None:
    writer = RecordingWriter()
    writer.open(tmp_path / "deep" / "rank-0", {})
    writer.close()
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["rank-0.traindx"]


def test_no_file_without_training(tmp_path: Path) -> None:
    writer = RecordingWriter()
    writer.state(0, "schedule", "StepLR")
    writer.flush()
    writer.close()
    assert list(tmp_path.iterdir()) == []


def test_a_recording_is_never_written_over(tmp_path: Path) -> None:
    first, second = RecordingWriter(), RecordingWriter()
    first.open(tmp_path / "rank-0", {"pid": 1})
    second.open(tmp_path / "rank-0", {"pid": 2})
    first.close()
    second.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["rank-0.2.traindx", "rank-0.traindx"]


def test_a_reader_sees_what_was_flushed_while_writing_goes_on(tmp_path: Path) -> None:
    writer = RecordingWriter()
    writer.open(tmp_path / "rank-0", {})
    rows = writer.rows_of(writer.layout((writer.column(1, "train_loss"),)))
    rows.extend((1, 2.0))
    writer.flush()
    assert writer.path is not None
    assert _rows(writer.path) == [(1, [1, 2.0])]
    rows.extend((2, 3.0))
    assert _rows(writer.path) == [(1, [1, 2.0])]
    writer.close()


_KILLED = """
import os, signal, sys
from pathlib import Path
from traindx.recorder.recording_writer import RecordingWriter
writer = RecordingWriter()
writer.open(Path(sys.argv[1]) / "rank-0", {})
rows = writer.rows_of(writer.layout((writer.column(1, "train_loss"),)))
for step in range(1, 1001):
    rows.extend((step, step / 2))
    writer.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_all_it_flushed(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], check=False, env=os.environ)
    assert done.returncode == -signal.SIGKILL
    numbers = [number for _, row in _rows(tmp_path / "rank-0.traindx") for number in row]
    assert numbers[::2] == list(range(1, 1001))
    assert numbers[-1] == 500.0
