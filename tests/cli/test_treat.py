"""`traindx treat` on real programs: from the failing script to the patch that is run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("libcst")

from tests.cli.calling import WITHOUT_TORCH, traindx
from traindx.trials.casebook import Casebook

SCRIPT = """\
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(3)
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 1) > 0).float()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=LR)  # chosen by hand
for epoch in range(15):
    for batch in torch.randperm(256).split(32):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[batch]), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
torch.save(model.state_dict(), "model.pt")
"""


def treat(here: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return traindx("treat", *words, cwd=here, COLUMNS="110", NO_COLOR="1")


def written(here: Path, rate: str) -> Path:
    script = here / "train.py"
    script.write_text(SCRIPT.replace("LR", rate))
    return script


def test_a_program_is_treated_patched_and_applied(tmp_path: Path) -> None:
    import torch

    script = written(tmp_path, "0.00003")
    options = ["--seeds", "2", "--save-model", "fixed.pt", "--apply", "--yes"]
    done = treat(tmp_path, "--only", "optimizer.lr x 10000", *options, "train.py")
    assert done.returncode == 0, done.stderr
    assert "\nPROVEN " in done.stdout
    assert "helped, 2 of 2 seeds" in done.stdout
    assert "lr=0.3)  # chosen by hand" in script.read_text()
    assert (tmp_path / "train.py.before-traindx").read_text() == SCRIPT.replace("LR", "0.00003")
    # Arms ran in copies: what the program writes is not here.
    assert not (tmp_path / "model.pt").exists()
    kept = torch.load(tmp_path / "fixed.pt", weights_only=True)
    assert [tuple(value.shape) for value in kept.values()] == [(16, 6), (16,), (1, 16), (1,)]
    folder = tmp_path / ".traindx" / "treatments" / "train-1"
    names = (
        "diagnostic_report.md optimization_recommendations.md training_comparison.png report.html fix.patch"
    )
    assert all((folder / name).stat().st_size > 100 for name in names.split())
    report = json.loads((folder / "report.json").read_text())
    (trial, *_) = report["runs"][0]["trials"]
    assert report["runs"][0]["treatment"]["patch_verified"] is True
    assert trial["outcome"] == "helped"
    assert trial["treated"] < 0.5 * trial["control"]
    assert Casebook(tmp_path / ".traindx" / "cases.db").past_effects()["optimizer.lr x 10000"] == (1, 1)
    # One line for every trial run where nobody watches, and nothing that moves a cursor.
    *trials, last = done.stderr.splitlines()
    assert [line.startswith("trial ") for line in trials] == [True] * 3
    assert last == "applied; undo with: traindx apply --undo train-1"
    assert "\x1b" not in done.stderr


def test_finished_trials_are_reused_by_the_same_command(tmp_path: Path) -> None:
    written(tmp_path, "0.3")
    words = ("--only", "optimizer.lr x 0.5", "--seeds", "1", "--trials", "1", "--steps", "40", "train.py")
    first, again = treat(tmp_path, *words), treat(tmp_path, *words)
    assert (first.returncode, again.returncode) == (0, 0), again.stderr
    assert "reused" not in first.stdout + first.stderr
    assert again.stderr == "trial 1/1: lr / 2, seed 0 · reused\n"
    assert "2 finished trial runs reused from train-1" in again.stdout
    reports = [tmp_path / f".traindx/treatments/train-{number}/report.json" for number in (1, 2)]
    trials, other = (json.loads(path.read_text())["runs"][0]["trials"] for path in reports)
    assert trials == other


def test_a_plan_is_shown_without_being_carried_out(tmp_path: Path) -> None:
    script = written(tmp_path, "0.00003")
    done = treat(tmp_path, "--dry-run", "train.py")
    assert done.returncode == 0, done.stderr
    assert "\nPLAN     lr x " in done.stdout
    assert done.stderr == ""
    assert script.read_text() == SCRIPT.replace("LR", "0.00003")
    assert not list((tmp_path / ".traindx" / "treatments" / "train-1").glob("arms/*"))


@pytest.mark.slow
def test_a_change_that_does_not_apply_says_why_and_wins_nothing(tmp_path: Path) -> None:
    written(tmp_path, "0.3")
    # Who treats with processes of this machine need not have Ray, nor wait for its import.
    (tmp_path / "ray.py").write_text("open('ray-was-imported', 'w')")
    done = treat(
        tmp_path, "--only", "loader.shuffle", "--steps", "40", "--save-model", "fixed.pt", "train.py"
    )
    assert done.returncode == 0, done.stderr
    assert "\nNO PROVEN FIX " in done.stdout
    assert "not applicable" in done.stdout
    assert not (tmp_path / "fixed.pt").exists()
    assert not (tmp_path / "ray-was-imported").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--only", "nonsense", "train.py"], "is not a change"),
        (["--only", "optimizer.speed 3", "train.py"], 'unknown change "optimizer.speed 3"'),
        (["--steps", "0", "train.py"], "--steps must be greater than 0"),
        (["missing.py"], "no such file"),
        ([], "no command; expected"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(words: list[str], says: str, tmp_path: Path) -> None:
    written(tmp_path, "0.3")
    done = treat(tmp_path, *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--json", "nowhere/report.json"], "nowhere/report.json: can't write it (No such file or"),
        (["--md", "-", "--json", "-"], "two reports go to standard output"),
        (["--png", "curves.png"], "--png curves.png: writes several plots"),
        (["--save-model", "nowhere/fixed.pt"], "nowhere/fixed.pt: can't write it (No such file or"),
        (["--save-model", "."], "--save-model .: is a folder"),
    ],
)
def test_a_place_that_takes_nothing_is_refused_before_anything_runs(
    words: list[str], says: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(f"open({str(tmp_path / 'was-run')!r}, 'w')")
    done = treat(tmp_path, *words, "train.py")
    assert done.returncode == 2
    assert says in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]


def test_a_program_may_need_what_lies_outside_and_be_run_in_place(tmp_path: Path) -> None:
    here = tmp_path / "project"
    here.mkdir()
    written(here, "0.3")
    script = here / "train.py"
    script.write_text(f"open('../rows.csv')\n{script.read_text()}")
    (tmp_path / "rows.csv").write_text("1")
    done = treat(here, "--dry-run", "train.py")
    assert done.returncode == 0, done.stderr
    assert "ran in the working directory itself" not in done.stdout
    done = treat(here, "--dry-run", "--in-place", "train.py")
    assert done.returncode == 0, done.stderr
    assert "ran in the working directory itself" in done.stdout


def test_a_patch_that_nobody_can_allow_is_refused_before_anything_runs(tmp_path: Path) -> None:
    written(tmp_path, "0.3")
    for words, says in ((["--apply"], "add --yes"), (["--yes"], "--yes needs --apply")):
        done = treat(tmp_path, *words, "train.py")
        assert done.returncode == 2
        assert says in done.stderr
    assert not (tmp_path / ".traindx").exists()


def test_a_program_that_trains_nothing_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('hello')\n")
    done = treat(tmp_path, "train.py")
    assert done.returncode == 2
    assert "nothing recorded" in done.stderr


def test_all_changes_are_listed(tmp_path: Path) -> None:
    done = treat(tmp_path, "--changes")
    assert done.returncode == 0
    assert "optimizer.lr\n" in done.stdout
    assert done.stdout.count("for example") > 30


def test_without_torch_it_says_what_to_install(tmp_path: Path) -> None:
    program = [sys.executable, "-c", WITHOUT_TORCH, "treat", "train.py"]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("traindx treat: needs torch and libcst: pip install ")
    assert done.stderr.count("\n") == 1
