"""What a program printed and wrote beside its recording, and where it left no recording."""

import json
from pathlib import Path

import pytest

from tests.recordings import one_training
from traindx import facts as f
from traindx.quantities import TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.readers.loading.runs import read
from traindx.run import Axis, EventKind, Run

EPOCHS = 12
LOSSES = [3.0 / (step + 1) for step in range(5 * EPOCHS)]
PRINTED = "".join(f"epoch {e}/{EPOCHS} loss 9.9 val_loss {2 / e:.4f}\n" for e in range(1, EPOCHS + 1))
STATED = {"script": "train.py", "exit_code": 0, "framework": "sklearn"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / ".traindx" / "runs" / "train-1"
    made.mkdir(parents=True)
    (made / "program.json").write_text(json.dumps(STATED))
    return made


def the_run(folder: Path) -> Run:
    (run,) = read([str(folder)]).runs
    return run


def csv_log(folder: Path, header: str = "step,train_loss,val_accuracy", name: str = "metrics.csv") -> None:
    path = folder / "written" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([header, *(f"{i},{2 / (i + 1)},{i / 60}" for i in range(60)), ""]))


def test_a_recording_gets_what_it_lacks_and_keeps_what_it_has(folder: Path) -> None:
    one_training(folder / "rank-0.traindx", LOSSES)
    (folder / "console.txt").write_text(PRINTED)
    csv_log(folder)
    run = the_run(folder)
    assert list(run[TRAIN_LOSS].values) == LOSSES
    assert len(run.all(TRAIN_LOSS)) == 1
    assert (run[VAL_LOSS].axis, len(run[VAL_LOSS])) == (Axis.EPOCH, EPOCHS)
    assert len(run[VAL_ACCURACY]) == len(LOSSES)
    assert run.facts[f.STEPS_PER_EPOCH] == 5
    assert "val_loss: read from console.txt" in run.notes
    assert f.READ_FROM not in run.facts
    assert VAL_LOSS not in read([str(folder)], told=False).runs[0]


def test_a_count_of_something_else_is_not_taken_for_steps(folder: Path) -> None:
    one_training(folder / "rank-0.traindx", LOSSES)
    (folder / "console.txt").write_text("".join(f"step {i * 999} val_loss {2 / (i + 1)}\n" for i in range(9)))
    assert the_run(folder)[VAL_LOSS].axis is Axis.RECORD


def test_without_a_recording_what_was_printed_is_the_run(folder: Path) -> None:
    (folder / "console.txt").write_text(PRINTED)
    for top in (folder, folder.parent, folder.parents[2]):
        (run,) = read([str(top)]).runs
        assert run.name == str(folder)
        assert {TRAIN_LOSS, VAL_LOSS} <= {series.quantity for series in run.series}
        assert run.facts[f.READ_FROM] == "its output"
        assert (run.facts[f.SCRIPT], run.facts[f.FRAMEWORK]) == ("train.py", "sklearn")


def test_log_files_count_beside_what_was_printed(folder: Path) -> None:
    (folder / "console.txt").write_text(PRINTED)
    csv_log(folder)
    run = the_run(folder)
    assert {VAL_LOSS, VAL_ACCURACY} <= {series.quantity for series in run.series}
    assert run.facts[f.READ_FROM] == "its output and 1 log file it wrote"
    (folder / "console.txt").unlink()
    assert the_run(folder).facts[f.READ_FROM] == "1 log file it wrote"


def test_a_table_of_something_else_does_not_replace_the_curve_that_was_printed(folder: Path) -> None:
    (folder / "console.txt").write_text(PRINTED)
    csv_log(folder, "row,loss,rank", "predictions.csv")
    assert list(the_run(folder)[TRAIN_LOSS].values) == [9.9] * EPOCHS


@pytest.mark.parametrize("text", ["", "hello\n", "accuracy: 0.93\n", "\0\1\2" * 100])
def test_what_tells_of_no_training_is_no_run(folder: Path, text: str) -> None:
    (folder / "console.txt").write_text(text)
    assert read([str(folder)]).runs == ()


def test_how_the_program_ended_is_an_event_of_the_run(folder: Path) -> None:
    (folder / "console.txt").write_text(PRINTED)
    ended = {
        "died": "KeyError: 'x'",
        "where": "train.py:3",
        "interrupted": "the program was killed by SIGKILL",
    }
    (folder / "program.json").write_text(json.dumps({**STATED, "exit_code": 1, **ended}))
    run = the_run(folder)
    assert {event.kind for event in run.events} >= {EventKind.EXCEPTION, EventKind.INTERRUPTED}
    assert run.facts[f.CRASH_PLACE] == "train.py:3"


def test_of_several_trainings_nobody_knows_whose_the_output_is(folder: Path) -> None:
    for rank in range(2):
        one_training(folder / f"rank-{rank}.traindx", LOSSES)
    (folder / "console.txt").write_text(PRINTED)
    assert [VAL_LOSS in run for run in read([str(folder)]).runs] == [False, False]


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"script": 3, "died": ["x"]}'])
def test_a_damaged_statement_is_not_believed(folder: Path, text: str) -> None:
    (folder / "program.json").write_text(text)
    (folder / "console.txt").write_text(PRINTED)
    assert the_run(folder).facts[f.READ_FROM] == "its output"
