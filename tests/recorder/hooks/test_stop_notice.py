"""A recording that could not be written cannot say so: its process leaves word elsewhere."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.promises.trainings import everything
from traindx.recorder.hooks import attachment
from traindx.recorder.hooks.stop_notice import PROCESSES, leave_word
from traindx.recorder.launch.outcome import PROCESSES as READ_FROM
from traindx.recorder.launch.outcome import faults
from traindx.recorder.recorder import Recorder
from traindx.recorder.recording_writer import RecordingWriter


def trained(folder: Path) -> Recorder:
    watching = attachment.attach(folder, budget=1.0)
    try:
        everything(epochs=1)
    finally:
        watching.detach()
    return watching.recorder


def test_word_is_left_where_it_is_looked_for() -> None:
    assert PROCESSES == READ_FROM


def test_a_disk_that_is_full_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: RecordingWriter) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(RecordingWriter, "flush", full)
    recorder = trained(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 0}))
    leave_word(tmp_path, recorder)
    [line] = (tmp_path / PROCESSES).read_text().splitlines()
    assert json.loads(line)["problem"] == "unwritten"
    [says] = faults(tmp_path)
    assert "no space left on the disk" in says


def test_a_fault_that_the_recording_tells_needs_no_word(tmp_path: Path) -> None:
    watching = attachment.attach(tmp_path, budget=1.0)
    try:
        watching.recorder.steps_aside("probe of this test", ValueError("no"))
        everything(epochs=1)
    finally:
        watching.detach()
    leave_word(tmp_path, watching.recorder)
    assert not (tmp_path / PROCESSES).exists()


def test_where_all_went_well_there_is_nothing_to_tell(tmp_path: Path) -> None:
    leave_word(tmp_path, trained(tmp_path))
    assert not (tmp_path / PROCESSES).exists()
