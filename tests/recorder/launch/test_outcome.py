"""What a run leaves behind, and the sentence for one that leaves nothing."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from traindx.recorder.launch.child import Ending
from traindx.recorder.launch.outcome import faults, note_ending, recordings, silence, stopped
from traindx.recorder.launch.traces import discard
from traindx.recorder.recording_writer import RecordingWriter
from traindx.run import Event, EventKind

UNSEEN = "without importing torch"


def tape_in(folder: Path) -> RecordingWriter:
    writer = RecordingWriter()
    writer.open(folder / "rank-0", {"pid": 1})
    return writer


def told(folder: Path, *lines: object) -> Path:
    (folder / "processes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def stands_in(folder: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(recordings(folder)[0])) as database:
        return database.execute(f"SELECT * FROM {table}").fetchall()


def exit_code_in(path: Path) -> object:
    with closing(sqlite3.connect(path)) as database:
        row = database.execute("SELECT value FROM meta WHERE key = 'exit_code'").fetchone()
    return json.loads(row[0])


@pytest.mark.parametrize("code", [0, 3, -9])
def test_the_exit_code_is_written_into_each_recording(tmp_path: Path, code: int) -> None:
    for _ in range(2):
        tape_in(tmp_path).close()
    note_ending(tmp_path, Ending(code))
    assert [exit_code_in(path) for path in recordings(tmp_path)] == [code, code]


@pytest.mark.parametrize(("code", "says"), [(-9, "SIGKILL"), (-15, "SIGTERM"), (-40, "signal 40")])
def test_a_signal_that_ended_the_program_is_an_event(tmp_path: Path, code: int, says: str) -> None:
    tape_in(tmp_path).close()
    note_ending(tmp_path, Ending(code))
    [(_, stream, step, kind, sentence, *_)] = stands_in(tmp_path, "events")
    assert (stream, step, kind) == (0, None, EventKind.INTERRUPTED.value)
    assert sentence == f"the program was killed by {says}"


def test_an_exception_says_more_than_the_signal_it_led_to(tmp_path: Path) -> None:
    writer = tape_in(tmp_path)
    writer.happened(0, Event(EventKind.INTERRUPTED, "KeyboardInterrupt"))
    writer.close()
    note_ending(tmp_path, Ending(-2))
    assert [row[4] for row in stands_in(tmp_path, "events")] == ["KeyboardInterrupt"]


@pytest.mark.parametrize("code", [0, -2])
def test_why_we_ended_the_program_is_an_event_of_its_own(tmp_path: Path, code: int) -> None:
    writer = tape_in(tmp_path)
    writer.happened(0, Event(EventKind.INTERRUPTED, "KeyboardInterrupt"))
    writer.close()
    note_ending(tmp_path, Ending(code), "stopped at step 9: it was enough")
    says = [row[4] for row in stands_in(tmp_path, "events")]
    assert says == ["KeyboardInterrupt", "stopped at step 9: it was enough"]


def test_processes_that_have_had_their_steps_are_known(tmp_path: Path) -> None:
    lines = {"pid": 7, "torch": "2.0"}, {"pid": 7, "stopped": 200}, {"pid": 8}, {"stopped": 3}
    assert stopped(told(tmp_path, *lines)) == [7]
    assert stopped(tmp_path / "elsewhere") == []


def test_a_recording_that_was_never_closed_is_noted_too(tmp_path: Path) -> None:
    writer = tape_in(tmp_path)
    writer.state(0, "seed", 3)
    writer.flush()
    note_ending(tmp_path, Ending(-9))
    assert stands_in(tmp_path, "facts") == [(0, "seed", "3")]
    assert len(stands_in(tmp_path, "events")) == 1
    writer.close()


def test_a_file_that_is_no_recording_is_left_alone_and_stops_nothing(tmp_path: Path) -> None:
    tape_in(tmp_path).close()
    [real] = recordings(tmp_path)
    before = {
        "a-empty.traindx": b"",
        "b-other.traindx": b"no database at all, but long enough to be read as one" * 99,
    }
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    # The others come first.
    assert recordings(tmp_path)[-1] == real
    note_ending(tmp_path, Ending(3))
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    assert exit_code_in(real) == 3


def test_the_recorders_own_fault_comes_first(tmp_path: Path) -> None:
    lines = {"torch": "2.0"}, {"problem": "failed", "why": "KeyError: 'x'", "where": "a.py:3"}
    assert "the recorder failed (KeyError: 'x' at a.py:3)" in silence(told(tmp_path, *lines)).what


def test_each_fault_is_said_once(tmp_path: Path) -> None:
    lines = [
        {"problem": "failed", "why": "KeyError: 'x'", "where": location} for location in ("a:1", "", "a:1")
    ]
    assert len(faults(told(tmp_path, *lines, {"torch": "2.0"}, {"problem": "too old"}))) == 2
    assert faults(tmp_path / "elsewhere") == []


def test_a_disk_that_could_not_be_written_is_told(tmp_path: Path) -> None:
    lines = [{"problem": "unwritten", "why": "no space left on the disk"}] * 2
    [says] = faults(told(tmp_path, *lines, {"torch": "2.0"}))
    assert says == "the recording is incomplete: no space left on the disk; the program was not affected"


def test_a_program_that_does_not_train_is_told_apart(tmp_path: Path) -> None:
    assert silence(told(tmp_path, {"torch": "2.0"})).what == "without a backward pass"


def test_an_old_python_is_named(tmp_path: Path) -> None:
    line = {"problem": "too old", "python": "3.8.1", "executable": "/usr/bin/python3.8"}
    assert "in Python 3.8.1 (/usr/bin/python3.8)" in silence(told(tmp_path, line)).what
    assert silence(told(tmp_path, line, {"torch": "2.0"})).what == "without a backward pass"


def test_without_word_no_process_imported_torch(tmp_path: Path) -> None:
    assert silence(tmp_path).what == UNSEEN
    assert silence(told(tmp_path, [], "x", None)).what == UNSEEN
    (tmp_path / "processes.jsonl").write_bytes(b'{"torch": "2.\xff\n{half')
    assert silence(tmp_path).what == UNSEEN


def test_a_crash_before_the_first_step_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = {"torch": "2.0", "died": "ValueError: x", "where": str(tmp_path / "src/train.py:3")}
    assert silence(told(tmp_path, line)).crash == "ValueError: x (src/train.py:3)"
    assert silence(told(tmp_path, {**line, "where": "/else/train.py:3"})).crash.endswith("(/else/train.py:3)")


def test_an_interruption_before_the_first_step_is_not_a_crash(tmp_path: Path) -> None:
    told(tmp_path, {"torch": "2.0", "died": "KeyboardInterrupt", "where": "train.py:3"})
    assert (silence(tmp_path).crash, silence(tmp_path).what) == ("", "before its first step")


def test_where_a_program_crashed_is_written_into_the_recording_of_its_process(tmp_path: Path) -> None:
    tape_in(tmp_path).close()
    told(tmp_path, {"pid": 2, "died": "KeyError: 'y'", "where": "/b.py:2"})
    note_ending(tmp_path, Ending(1))
    assert stands_in(tmp_path, "facts") == []
    told(tmp_path, {"pid": 1, "died": "KeyError: 'x'", "where": "/a.py:1"}, {"pid": 2, "died": "x"})
    note_ending(tmp_path, Ending(1))
    assert stands_in(tmp_path, "facts") == [(0, "crash_place", '"/a.py:1"')]


def test_only_an_empty_run_is_discarded(tmp_path: Path) -> None:
    empty, full = tmp_path / "a", tmp_path / "b"
    for folder in (empty, full):
        folder.mkdir()
        told(folder, {})
    (full / "rank-0.traindx").touch()
    discard(empty)
    discard(full)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
