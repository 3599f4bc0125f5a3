import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import traindx
from tests.recordings import layer, one_training, tape_at, where, write_facts, write_look, write_steps
from traindx import facts as f
from traindx.diagnosis.types import Verdict
from traindx.errors import UnreadableError
from traindx.quantities import (
    GRADIENT_NORM,
    LEARNING_RATE,
    TRAIN_LOSS,
    UPDATE_RATIO,
    VAL_LOSS,
    WALL_TIME,
)
from traindx.readers.loading.files import discover
from traindx.readers.traindx_recording import READER
from traindx.readers.types import Log, Source
from traindx.run import Event, EventKind


def _sample() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        tape = tape_at(Path(folder) / "rank-0.traindx")
        tape.begin(1, "model", [])
        tape.layers(1, [layer("fc1.weight", 8, 4), layer("fc1.bias", 8)])
        for first in range(1, 400, 40):
            steps = range(first, first + 40)
            rates = [0.1] * 40
            columns = {TRAIN_LOSS: [2.0 / step for step in steps], LEARNING_RATE: rates}
            write_steps(tape, 1, columns, begins=float(first), first=first)
            write_look(tape, 1, first, GRADIENT_NORM, {"fc1.weight": 1.0 / first, "fc1.bias": math.nan})
        tape.close()
        return where(tape).read_bytes()


SAMPLE = _sample()


def logs_at(path: Path) -> list[Log]:
    (source,) = discover(str(path))
    assert isinstance(source, Source)
    assert READER.recognizes(source) == 1
    return list(READER.read(source))


def values(log: Log) -> dict[str, tuple[list[float], list[float]]]:
    return {column.name: (column.steps.tolist(), column.values.tolist()) for column in log.columns}


def test_one_training_has_its_numbers_under_their_meaning(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "model", [])
    write_steps(tape, 1, {TRAIN_LOSS: [3.0, math.nan, math.inf]})
    write_look(tape, 1, 1, GRADIENT_NORM, {"": 5.0, "fc1.weight": 4.0, "fc2.weight": 3.0})
    write_look(tape, 1, 3, GRADIENT_NORM, {"": 2.0, "fc1.weight": -math.inf, "fc2.weight": 0.0})
    tape.rows_of(tape.layout((tape.column(1, LEARNING_RATE.slug, part="group 2"),))).extend((2, 0.5))
    tape.close()
    (run,) = traindx.load(where(tape))
    np.testing.assert_array_equal(run[TRAIN_LOSS].values, [3.0, math.nan, math.inf])
    assert run[TRAIN_LOSS].steps.tolist() == [1, 2, 3]
    assert run[WALL_TIME].values.tolist() == [0, 1, 2]
    norms = {series.layer: series.values.tolist() for series in run.all(GRADIENT_NORM)}
    assert norms == {"": [5, 2], "fc1.weight": [4, -math.inf], "fc2.weight": [3, 0]}
    assert run[GRADIENT_NORM].layer == ""
    assert [(s.part, s.steps.tolist()) for s in run.all(LEARNING_RATE)] == [("group 2", [2])]
    assert run.unread == ()
    assert run.notes == ()
    assert run.formats == ("traindx recording",)


def test_names_that_the_vocabulary_would_read_otherwise_stay_what_they_are(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "val", [])
    write_steps(tape, 1, {TRAIN_LOSS: [3.0, 2.0]})
    write_look(tape, 1, 1, UPDATE_RATIO, {"val_loss": 0.5, "test/accuracy": 0.25})
    tape.close()
    (run,) = traindx.load(where(tape))
    assert VAL_LOSS not in run
    assert {s.layer: s.values.tolist() for s in run.all(UPDATE_RATIO)} == {
        "val_loss": [0.5],
        "test/accuracy": [0.25],
    }


def test_a_column_that_stands_in_two_layouts_is_one_series(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "model", [])
    loss, rate = (tape.column(1, q.slug) for q in (TRAIN_LOSS, LEARNING_RATE))
    for step in range(1, 9):
        columns = (loss, rate) if step % 3 == 0 else (loss,)
        tape.rows_of(tape.layout(columns)).extend((step, *(10.0 * step + c for c in columns)))
        if step in (4, 5):
            tape.flush()
    tape.rows_of(tape.layout((loss,))).extend((2, -1.0))  # written again: the last counts
    tape.close()
    curves = values(logs_at(where(tape))[0])
    assert curves["train_loss"] == ([1, 2, 3, 4, 5, 6, 7, 8], [11, -1, 31, 41, 51, 61, 71, 81])
    assert curves["learning_rate"] == ([3, 6], [32, 62])


def test_facts_settings_events_and_layers(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "model", [])
    write_steps(tape, 1, {TRAIN_LOSS: [3.0, 2.0]})
    write_facts(tape, 0, {f.RECORDING_COST: 0.006, f.STEP_PLACE: "train.py:31"})
    write_facts(tape, 1, {f.OPTIMIZER: "AdamW", f.SHUFFLE: False, f.BATCH_SIZE: 32})
    tape.layers(1, [layer("fc1.weight", 8, 4), layer("fc1.bias", 8, trainable=False, gradient=False)])
    bad = Event(EventKind.NONFINITE, "NaN in the output of fc1", 2, "fc1", "aten::log", 7)
    tape.happened(1, bad)
    tape.happened(0, Event(EventKind.EXCEPTION, "ValueError: no"))
    tape.describe({"exit_code": 1})
    tape.close()
    (run,) = traindx.load(where(tape))
    stated = {fact.slug: value for fact, value in run.facts.items()}
    assert stated == {
        "script": "train.py",
        "program_arguments": "--lr 0.1",
        "exit_code": 1,
        "rank": 0,
        "ranks": 1,
        "recording_cost": 0.006,
        "step_place": "train.py:31",
        "optimizer": "AdamW",
        "shuffle": False,
        "batch_size": 32,
    }
    assert run.settings == {"traindx": "0.4", "python": "3.11.9", "torch": "2.13.0"}
    assert run.events == (bad, Event(EventKind.EXCEPTION, "ValueError: no"))
    assert [
        (parameter.name, parameter.kind, parameter.shape, parameter.trainable, parameter.gradient)
        for parameter in run.model
    ] == [
        ("fc1.weight", "Linear", (8, 4), True, True),
        ("fc1.bias", "Linear", (8,), False, False),
    ]


def test_optimizers_that_step_at_the_same_time_are_parts_of_one_training(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "generator", [])
    tape.begin(2, "discriminator", [])
    write_steps(tape, 1, {TRAIN_LOSS: [3.0, 2.0, 1.0]}, begins=0.0)
    write_steps(tape, 2, {TRAIN_LOSS: [0.3, 0.2, 0.1]}, begins=0.5)
    write_facts(tape, 1, {f.OPTIMIZER: "Adam", f.LEARNING_RATE: 0.1})
    write_facts(tape, 2, {f.OPTIMIZER: "SGD", f.LEARNING_RATE: 0.1})
    tape.layers(1, [layer("0.weight", 2, 2)])
    tape.layers(2, [layer("0.weight", 3, 3)])
    tape.close()
    (run,) = traindx.load(where(tape))
    losses = {series.part: series.values.tolist() for series in run.all(TRAIN_LOSS)}
    assert losses == {"generator": [3, 2, 1], "discriminator": [0.3, 0.2, 0.1]}
    assert run.facts[f.OPTIMIZER] == "Adam"
    assert run.settings["discriminator.optimizer"] == "SGD"
    assert "discriminator.learning_rate" not in run.settings
    assert [(parameter.part, parameter.shape) for parameter in run.model] == [
        ("generator", (2, 2)),
        ("discriminator", (3, 3)),
    ]


def test_optimizers_that_follow_each_other_on_the_same_parameters_are_phases(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "model", [])
    write_steps(tape, 1, {TRAIN_LOSS: [3.0, 2.0, 1.0]}, begins=0.0)
    write_facts(tape, 1, {f.INITIAL_LOSS: 3.0, f.FROZEN_PARAMETERS: "body.weight", f.LEARNING_RATE: 0.1})
    tape.layers(1, [layer("body.weight", 2, 2, trainable=False), layer("head.weight", 2, 2)])
    tape.begin(2, "model", [1])
    write_steps(tape, 2, {TRAIN_LOSS: [0.9, 0.8]}, begins=10.0)
    write_facts(tape, 2, {f.INITIAL_LOSS: 0.9, f.LEARNING_RATE: 0.01})
    tape.layers(2, [layer("body.weight", 2, 2), layer("head.weight", 2, 2)])
    tape.happened(2, Event(EventKind.OVERFLOW, "a step was left out", 2))
    tape.close()
    (run,) = traindx.load(where(tape))
    assert run[TRAIN_LOSS].values.tolist() == [3, 2, 1, 0.9, 0.8]
    assert run[TRAIN_LOSS].steps.tolist() == [1, 2, 3, 4, 5]
    assert run[TRAIN_LOSS].part == ""
    assert run.facts[f.INITIAL_LOSS] == 3
    assert run.facts[f.LEARNING_RATE] == 0.01
    assert f.FROZEN_PARAMETERS not in run.facts
    assert run.settings["phase 1.learning_rate"] == 0.1
    assert all(parameter.trainable for parameter in run.model)
    assert run.events[0].step == 5
    assert len(run.segments) == 1


def test_optimizers_that_follow_each_other_and_share_nothing_are_trainings(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    for fold in range(3):
        tape.begin(fold + 1, "model", [])
        write_steps(tape, fold + 1, {TRAIN_LOSS: [fold + 3.0, fold + 2.0]}, begins=10.0 * fold)
    tape.begin(4, "never stepped", [])
    tape.happened(0, Event(EventKind.EXCEPTION, "KeyError: 3"))
    tape.happened(0, Event(EventKind.STEPPED_ASIDE, "a probe failed"))
    tape.close()
    logs = logs_at(where(tape))
    assert [log.run for log in logs] == ["training 1", "training 2", "training 3"]
    runs = traindx.load(where(tape))
    assert [Path(run.name).name for run in runs] == [f"rank-0.traindx:training {n}" for n in (1, 2, 3)]
    assert [run[TRAIN_LOSS].values.tolist() for run in runs] == [[3, 2], [4, 3], [5, 4]]
    assert [[e.kind.value for e in run.events] for run in runs] == [
        ["stepped aside"],
        ["stepped aside"],
        ["exception", "stepped aside"],
    ]


def test_a_phase_with_two_optimizers_after_one_with_one(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "whole", [])
    write_steps(tape, 1, {TRAIN_LOSS: [9.0, 8.0]}, begins=0.0)
    tape.begin(2, "body", [1])
    tape.begin(3, "head", [1])
    write_steps(tape, 2, {TRAIN_LOSS: [7.0, 6.0]}, begins=10.0)
    write_steps(tape, 3, {TRAIN_LOSS: [5.0, 4.0]}, begins=10.5)
    tape.close()
    (run,) = traindx.load(where(tape))
    parts = {s.part: (s.steps.tolist(), s.values.tolist()) for s in run.all(TRAIN_LOSS)}
    assert parts == {"whole": ([1, 2, 3, 4], [9, 8, 7, 6]), "head": ([3, 4], [5, 4])}


def test_what_a_newer_version_writes_is_told_as_unread(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "model", [])
    write_steps(tape, 1, {TRAIN_LOSS: [3.0, 2.0]})
    tape.rows_of(tape.layout((tape.column(1, "phase_of_the_moon"),))).extend((1, 0.5, 2, 0.6))
    tape.state(1, "star_sign", "leo")
    tape.close()
    with closing(sqlite3.connect(where(tape))) as connection, connection:
        connection.execute("INSERT INTO events VALUES (NULL, 1, 1, 'eclipse', 'it got dark', '', '', NULL)")
    (log,) = logs_at(where(tape))
    why = "written by a newer version of traindx"
    assert {(u.name, u.count, u.why) for u in log.unread} == {
        ("phase_of_the_moon", 2, why),
        ("star_sign", 1, why),
        ("eclipse", 1, why),
    }


def test_another_format_is_refused(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx", format="traindx.recording/2")
    tape.begin(1, "model", [])
    write_steps(tape, 1, {TRAIN_LOSS: [3.0]})
    tape.close()
    with pytest.raises(UnreadableError, match=r"traindx.recording/2.*update traindx"):
        logs_at(where(tape))


@pytest.mark.parametrize("kind", [None, EventKind.INTERRUPTED])
def test_a_recording_without_a_step_is_refused(tmp_path: Path, kind: EventKind | None) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    if kind is not None:
        tape.happened(0, Event(kind, "KeyboardInterrupt"))
    tape.close()
    with pytest.raises(UnreadableError, match="no step recorded"):
        logs_at(where(tape))


def test_a_program_that_fell_over_before_its_first_step_is_a_run(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.happened(0, Event(EventKind.EXCEPTION, "RuntimeError: shapes"))
    write_facts(tape, 0, {f.OPTIMIZER: "AdamW"})
    tape.close()
    for path in (where(tape), tmp_path):
        (run,) = traindx.load(path)
        assert run.series == ()
        assert [event.says for event in run.events] == ["RuntimeError: shapes"]
        assert run.facts[f.OPTIMIZER] == "AdamW"
        assert run.settings["torch"] == "2.13.0"
        assert traindx.diagnose(run).verdict is Verdict.INCONCLUSIVE


def test_refused_targets_are_a_run_whatever_ended_it(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    write_facts(tape, 0, {f.LABEL_FAULT: "label 3, but the model has 3 outputs (valid labels: 0 to 2)"})
    tape.close()
    (run,) = traindx.load(where(tape))
    assert f.LABEL_FAULT in run.facts


def test_read_while_it_is_written(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "model", [])
    for first in (1, 51, 101):
        write_steps(tape, 1, {TRAIN_LOSS: [1.0 / s for s in range(first, first + 50)]}, first=first)
        before = sorted(tmp_path.iterdir())
        (log,) = logs_at(where(tape))
        assert values(log)["train_loss"][0] == list(range(1, first + 50))
        assert sorted(tmp_path.iterdir()) == before
        assert [event.kind for event in log.events] == [EventKind.TORN]
        assert "still running" in log.events[0].says
    tape.close()
    assert logs_at(where(tape))[0].events == ()


_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.recordings import tape_at, write_steps
from traindx.quantities import TRAIN_LOSS
tape = tape_at(Path(sys.argv[1]))
tape.begin(1, "model", [])
for first in range(1, 500, 50):
    write_steps(tape, 1, {TRAIN_LOSS: [1.0 / s for s in range(first, first + 50)]}, first=first)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no kill -9")
@pytest.mark.parametrize("left", ["-wal and -shm", "-wal only"])
def test_nothing_is_lost_to_a_kill(tmp_path: Path, left: str) -> None:
    path = tmp_path / "rank-0.traindx"
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED, str(path)], cwd=Path(__file__).parents[2], check=False
    )
    assert ended.returncode == -signal.SIGKILL
    assert Path(f"{path}-wal").stat().st_size > 0
    if left == "-wal only":
        os.unlink(f"{path}-shm")
    (log,) = logs_at(path)
    assert values(log)["train_loss"][1] == [1.0 / step for step in range(1, 501)]
    assert "was killed" in log.events[0].says


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_only_be_read(tmp_path: Path) -> None:
    path = one_training(tmp_path / "shut" / "rank-0.traindx", [3.0, 2.0])
    path.parent.chmod(0o555)
    try:
        assert values(logs_at(path)[0])["train_loss"][1] == [3, 2]
    finally:
        path.parent.chmod(0o755)


def test_rows_before_the_damage_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "rank-0.traindx"
    for size in range(4096 * 13, len(SAMPLE), 4096):
        path.write_bytes(SAMPLE[:size])
        (log,) = logs_at(path)
        steps, losses = values(log)["train_loss"]
        assert len(losses) >= 120
        assert losses == [2.0 / step for step in steps]
        assert [event.kind for event in log.events] == [EventKind.TORN]
        assert "damaged" in log.events[0].says


def test_damage_before_the_first_step_is_told(tmp_path: Path) -> None:
    path = tmp_path / "rank-0.traindx"
    path.write_bytes(SAMPLE[: 4096 * 9])
    with pytest.raises(UnreadableError, match="no step can be read"):
        logs_at(path)


def test_numbers_without_a_place_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rank-0.traindx"
    path.write_bytes(SAMPLE)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM columns WHERE quantity = 'learning_rate'")
        step = np.array([math.nan, 1.0, 1.0, 1.0]).tobytes()
        connection.execute("INSERT INTO rows VALUES (NULL, 1, 1, ?)", (step,))
        connection.execute("INSERT INTO rows VALUES (NULL, 1, 1, ?)", (step[:-4],))
        connection.execute("INSERT INTO rows VALUES (NULL, 99, 1, ?)", (step,))
        connection.execute("UPDATE meta SET value = '[[['")
    (log,) = logs_at(path)
    assert {(u.count, u.why) for u in log.unread} == {
        (400, "no description of their column"),
        (3, "their step is not a number"),
        (7, "no matching layout"),
    }
    assert log.facts == {}


def test_other_databases_are_not_recordings(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, data BLOB)")
    (source,) = discover(str(path))
    assert isinstance(source, Source)
    assert READER.recognizes(source) == 0


def test_a_million_numbers_equal_what_was_written(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "model", [])
    dice = np.random.default_rng(0)
    table = dice.normal(size=(20_000, 12))
    columns = tuple(tape.column(1, GRADIENT_NORM.slug, f"layer {n}") for n in range(12))
    rows = tape.rows_of(tape.layout(columns))
    for step, line in enumerate(table, start=1):
        rows.extend((step, *line))
        if step % 50 == 0:
            tape.flush()
    tape.close()
    (log,) = logs_at(where(tape))
    for number, column in enumerate(log.columns):
        np.testing.assert_array_equal(column.values, table[:, number])
        np.testing.assert_array_equal(column.steps, np.arange(1, 20_001))


def test_a_copy_without_its_wal_file_is_what_was_checkpointed(tmp_path: Path) -> None:
    tape = tape_at(tmp_path / "a" / "rank-0.traindx")
    tape.begin(1, "model", [])
    write_steps(tape, 1, {TRAIN_LOSS: [3.0, 2.0]})
    copy = tmp_path / "copy.traindx"
    shutil.copyfile(where(tape), copy)
    with pytest.raises(UnreadableError):
        traindx.load(copy)
    tape.close()
    shutil.copyfile(where(tape), copy)
    assert traindx.load(copy)[0][TRAIN_LOSS].values.tolist() == [3, 2]
