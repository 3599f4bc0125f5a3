"""Reports from wherever the user is: the line to change, and commands that work from there."""

import json
import shutil
import tarfile
from pathlib import Path

import pytest

import traindx
from tests.recordings import tape_at, write_facts, write_steps
from tests.test_screens import PROGRAMS, RECORDINGS
from traindx.cli import main
from traindx.facts import RECORDING_COST
from traindx.quantities import TRAIN_LOSS
from traindx.run import Event, EventKind

PROGRAM = "digits_cnn"
LINE = "digits_cnn.py:45"
RUN = ".traindx/runs/r"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where a program was recorded: its source and its recording."""
    with tarfile.open(RECORDINGS / f"{PROGRAM}.tar.xz") as packed:
        packed.extractall(tmp_path / "home" / RUN, filter="data")
    shutil.copy(PROGRAMS / f"{PROGRAM}.py", tmp_path / "home")
    (tmp_path / "elsewhere").mkdir()
    # Another program by the same name, which is not the one that was recorded.
    (tmp_path / "elsewhere" / f"{PROGRAM}.py").write_text("print('hello')\n")
    return tmp_path / "home"


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["diagnose", *words]) == 0
    return capsys.readouterr().out


def test_the_line_does_not_depend_on_the_working_directory(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    here = shown(capsys, RUN)
    monkeypatch.chdir(home.parent / "elsewhere")
    there = shown(capsys, f"../home/{RUN}")
    assert f"FIX      {LINE} " in here
    assert f"FIX      ../home/{LINE} " in there
    assert [line for line in here.splitlines() if line[4:5] in ("-", "+")] == [
        line for line in there.splitlines() if line[4:5] in ("-", "+")
    ]
    assert f"prove it   traindx treat {PROGRAM}.py" in here
    assert f"prove it   cd ../home && traindx treat {PROGRAM}.py" in there


def test_every_form_names_the_line_to_change(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    assert LINE in repr(traindx.diagnose(RUN))
    assert f"WHERE {LINE}" in " ".join(shown(capsys, RUN, "--all").split())
    assert LINE in shown(capsys, RUN, "--quiet")


@pytest.fixture
def folds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that trains twice: well, and away from what it is to learn."""
    monkeypatch.chdir(tmp_path)
    tape = tape_at(Path(RUN) / "rank-0.traindx")
    write_facts(tape, 0, {RECORDING_COST: 0.01})
    down, up = [2 / (at + 1) for at in range(80)], [1.0 + at for at in range(80)]
    for fold, losses in enumerate((down, up), start=1):
        tape.begin(fold, "model", [])
        write_steps(tape, fold, {TRAIN_LOSS: losses}, begins=100.0 * fold)
    tape.close()


@pytest.mark.usefixtures("folds")
def test_of_two_trainings_the_worst_is_shown_and_the_command_for_the_other_works(
    capsys: pytest.CaptureFixture[str],
) -> None:
    says = shown(capsys, RUN)
    assert "training 2 of 2, the worst" in says
    assert says.count("\nSICK ") == 1
    assert "\nOTHERS   training 1: " in says
    (command,) = (line for line in says.splitlines() if line.startswith("training 1 "))
    words = command.split()
    assert words[2:] == ["traindx", "diagnose", RUN, "--run", "1"]
    other = shown(capsys, *words[4:])
    assert "SICK" not in other
    assert shown(capsys, f"{RUN}:training 1") == other
    assert main(["diagnose", "--json", "-", RUN]) == 0
    assert len(json.loads(capsys.readouterr().out)["runs"]) == 2


@pytest.mark.usefixtures("folds")
@pytest.mark.parametrize("words", [[RUN, "--run", "3"], [f"{RUN}:training 3"]])
def test_a_training_that_is_not_there_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diagnose", *words]) == 2
    assert RUN in capsys.readouterr().err


def test_a_crashed_program_is_not_called_healthy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tape = tape_at(Path(RUN) / "rank-0.traindx")
    tape.begin(1, "model", [])
    write_steps(tape, 1, {TRAIN_LOSS: [2 / (at + 1) + 0.1 for at in range(80)]})
    write_facts(tape, 0, {RECORDING_COST: 0.01})
    tape.happened(0, Event(EventKind.EXCEPTION, "IndexError: index out of range in self"))
    tape.close()
    says = shown(capsys, RUN)
    assert "HEALTHY" not in says
    assert "\nCRASHED  IndexError: index out of range in self\n" in says
    assert "Before the crash: train loss" in says
    assert "below the number of rows" in " ".join(says.split())
    assert repr(traindx.diagnose(RUN)).startswith("<Diagnosis CRASHED IndexError")
    assert "CRASHED" in shown(capsys, RUN, "--quiet")
