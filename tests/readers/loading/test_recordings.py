"""Folders that hold recordings."""

import json
from pathlib import Path

import pytest

import traindx
from tests.cli.calling import NAN
from tests.recordings import one_training, tape_at, write_steps
from traindx import facts as f
from traindx.cli import main
from traindx.errors import UnreadableError
from traindx.quantities import TRAIN_LOSS
from traindx.readers.loading.runs import follow, read

LOSSES = [3.0, 2.0, 1.0]


def _run_folder(folder: Path) -> Path:
    """What `traindx run` leaves behind."""
    one_training(folder / "rank-0.traindx", LOSSES)
    (folder / "report.html").write_text("<html>step 1 loss 0.5\nstep 2 loss 0.4\nstep 3 loss 0.3\n</html>")
    (folder / "report.md").write_text("step 1 loss 0.5\nstep 2 loss 0.4\nstep 3 loss 0.3\n")
    (folder / "report.json").write_text(
        '{"schema": "traindx.report/1", "loss": [1, 2, 3], "step": [1, 2, 3]}'
    )
    (folder / "processes.jsonl").write_text('{"pid": 41, "loss": 1}\n{"pid": 42, "loss": 2}\n')
    (folder / "rank-0.traindx-shm").write_bytes(b"\0" * 64)
    return folder


def test_a_run_folder_holds_one_run_and_no_problem(tmp_path: Path) -> None:
    folder = _run_folder(tmp_path / ".traindx" / "runs" / "train-1")
    for top in (folder, tmp_path / ".traindx", tmp_path):
        reading = read([str(top)])
        assert [run.name for run in reading.runs] == [str(folder)]
        assert reading.problems == ()
        assert reading.other_files == 0


def test_ranks_of_one_training_are_one_run(tmp_path: Path) -> None:
    paths = [tmp_path / f"rank-{rank}.traindx" for rank in range(2)]
    for rank, path in enumerate(paths):
        one_training(path, LOSSES, rank=rank, ranks=2)
    (run,) = traindx.load(tmp_path)
    assert (run.name, run.sources) == (str(tmp_path), tuple(map(str, paths)))
    assert run.facts[f.RANKS] == 2
    (alone,) = traindx.load(paths[1])
    assert (alone.name, alone.facts[f.RANK]) == (str(paths[1]), 1)


def test_processes_that_follow_each_other_are_runs_of_their_own(tmp_path: Path) -> None:
    for _ in range(3):  # the tape takes the next free name
        one_training(tmp_path / "rank-0.traindx", LOSSES)
    names = [Path(run.name).name for run in traindx.load(tmp_path)]
    assert names == ["rank-0.2.traindx", "rank-0.3.traindx", "rank-0.traindx"]


def test_two_trainings_of_two_ranks_are_joined_in_turn(tmp_path: Path) -> None:
    for rank in range(2):
        tape = tape_at(tmp_path / f"rank-{rank}.traindx", rank=rank, ranks=2)
        for fold in (1, 2):
            tape.begin(fold, "model", [])
            write_steps(tape, fold, {TRAIN_LOSS: [10.0 * rank + fold] * 3}, begins=10.0 * fold)
        tape.close()
    by_name = {Path(run.name).name: run[TRAIN_LOSS].values[0] for run in traindx.load(tmp_path)}
    assert by_name == {f"{tmp_path.name}:training 1": 6, f"{tmp_path.name}:training 2": 7}


def test_a_log_beside_a_recording_stays_a_run_of_its_own(tmp_path: Path) -> None:
    one_training(tmp_path / "rank-0.traindx", LOSSES)
    (tmp_path / "metrics.csv").write_text("step,loss\n1,3\n2,2\n3,1\n")
    by_name = {run.name: run.formats for run in traindx.load(tmp_path)}
    assert by_name == {
        str(tmp_path): ("Table (CSV, TSV)",),
        str(tmp_path / "rank-0.traindx"): ("traindx recording",),
    }


def test_what_traindx_wrote_as_data_is_no_log(tmp_path: Path) -> None:
    log, (by_name, known) = tmp_path / "log.csv", (tmp_path / "learning_rate.json", tmp_path / "causes.json")
    log.write_text("step,loss\n" + "".join(f"{step},{2.0 / (1 + step)}\n" for step in range(40)))
    document = {"schema": "traindx.rate/1", "range": [{"rate": 0.1, "loss": 2.0}, {"rate": 0.2, "loss": 1.5}]}
    by_name.write_text(json.dumps(document, indent=2))
    assert main(["causes", "--json", str(known)]) == 0
    page = tmp_path / "page" / "diagnostic_report.md"
    page.parent.mkdir()
    assert main(["diagnose", NAN, "--md", str(page)]) == 0
    reading = read([str(tmp_path)])
    assert [run.sources for run in reading.runs] == [(str(log),)]
    assert reading.problems == ()
    for named in (by_name, known, page):
        with pytest.raises(UnreadableError, match="a traindx report, not a log; choose the log"):
            traindx.load(named)


def test_experiments_of_traindx_are_no_runs_of_the_user_unless_they_are_named(tmp_path: Path) -> None:
    home = tmp_path / ".traindx" / "treatments" / "train-1"
    control, arm = home / "control", home / "arms" / "optimizer.lr_x_0.1-seed0"
    one_training(control / "rank-0.traindx", LOSSES, experiment="as it is")
    one_training(arm / "rank-0.traindx", LOSSES, experiment="optimizer.lr x 0.1")
    for folder in (control, arm):
        (folder / "output.txt").write_text("step 1 loss 3.5\nstep 2 loss 2.5\nstep 3 loss 1.5\n")
    alone = read([str(tmp_path)])
    assert alone.runs == ()
    assert str(alone.problems[0]) == (
        f"{tmp_path}: no run of yours; skipped 2 trial runs of traindx; pass their folder to read them"
    )
    own = _run_folder(tmp_path / ".traindx" / "runs" / "train-1")
    for top in (tmp_path, tmp_path / ".traindx"):
        assert [run.name for run in read([str(top)]).runs] == [str(own)]
    assert {run.facts[f.EXPERIMENT] for run in traindx.load(home)} == {"as it is", "optimizer.lr x 0.1"}
    (named,) = traindx.load(arm)
    assert named.formats == ("traindx recording",)


def test_reports_elsewhere_are_files_like_others(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("step 1 loss 0.5\nstep 2 loss 0.4\nstep 3 loss 0.3\n")
    assert len(traindx.load(tmp_path)) == 1


@pytest.mark.parametrize("by", ["file", "folder"])
def test_following_sees_what_stands_beside_the_file(tmp_path: Path, by: str) -> None:
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "model", [])
    write_steps(tape, 1, {TRAIN_LOSS: LOSSES})
    top = str(tmp_path / "rank-0.traindx" if by == "file" else tmp_path)
    readings = follow([top], every=0.01)
    assert len(next(readings).runs[0][TRAIN_LOSS]) == 3
    size = (tmp_path / "rank-0.traindx").stat().st_size
    write_steps(tape, 1, {TRAIN_LOSS: LOSSES}, first=4)
    assert (tmp_path / "rank-0.traindx").stat().st_size == size
    assert len(next(readings).runs[0][TRAIN_LOSS]) == 6
    tape.close()
