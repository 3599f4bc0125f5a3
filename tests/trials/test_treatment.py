"""`traindx.treat` from Python."""

import re
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("libcst")

import traindx
from tests.cli.test_treat import written
from traindx.trials import workspace
from traindx.trials.casebook import Casebook
from traindx.trials.types import Outcome


@pytest.mark.slow
def test_a_program_is_treated_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    written(tmp_path, "0.00003")
    said: list[str] = []
    wish = traindx.TreatOptions(only=("optimizer.lr x 10000 + gradients.clip 0.1",), seeds=2)
    result = traindx.treat("train.py", wish, say=said.append)
    (trial,) = result.treatment.trials
    assert trial.outcome is Outcome.HELPED
    assert result.report.diagnoses[0].suspects
    assert said[0] == "recording the program without changes"
    assert "lr=0.3" in result.treatment.patch
    assert "clip_grad_norm_" in result.treatment.patch
    assert result.treatment.patch_verified
    assert Casebook().cases()[0].change == "optimizer.lr x 10000 + gradients.clip 0.1"
    assert result.folder.parent == tmp_path / ".traindx" / "treatments"


UNCLEARED = """\
import torch
from torch import nn, optim

torch.manual_seed(0)
x = torch.randn(600, 2)
y = ((x[:, :1] * x[:, 1:]) > 0).float()
model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(40):
    order = torch.randperm(500)
    for i in range(0, 500, 50):
        batch = order[i:i + 50]
        loss = criterion(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        criterion(model(x[500:]), y[500:])
"""
"""Gradients add up over all steps; a lower rate hides it and repairs nothing."""


@pytest.mark.slow
def test_the_fix_that_makes_a_run_healthy_is_the_one_that_is_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    (tmp_path / "train.py").write_text(UNCLEARED, encoding="utf-8")
    wish = traindx.TreatOptions(only=("optimizer.lr x 0.1", "gradients.clear_each_step"))
    best = traindx.treat("train.py", wish).treatment.best
    assert best is not None
    assert best.name == "gradients.clear_each_step"
    assert best.healthy_after is not None
    assert best.healthy_after > 0.5


@pytest.mark.slow
def test_no_trial_starts_after_the_time_is_over_and_the_end_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    (tmp_path / "train.py").write_text(UNCLEARED + "import time; time.sleep(8)\n", encoding="utf-8")
    said: list[str] = []
    result = traindx.treat("train.py", traindx.TreatOptions(minutes=1.0), say=said.append)
    elapsed = [re.search(r"(\d+):(\d+) elapsed, limit 1:00", line) for line in said]
    began = [60 * int(match[1]) + int(match[2]) for match in elapsed if match]
    assert began
    assert max(began) <= 60
    assert result.treatment.best is not None or result.treatment.why_untried == "time limit reached"


def test_numbers_of_a_recording_come_from_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    written(tmp_path, "0.00003")
    result = traindx.treat("train.py", traindx.TreatOptions(only=("gradients.clip p95",), dry=True))
    (planned,) = result.plan
    assert planned.changes[0].number > 0
    with pytest.raises(traindx.TraindxError, match="the run has no validation loss"):
        traindx.treat("train.py", traindx.TreatOptions(only=("stop.early",), dry=True))


def test_a_change_that_makes_no_sense_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "0.3")
    with pytest.raises(traindx.TraindxError, match=r"expected one of these forms: optimizer\.lr x 0"):
        traindx.treat("train.py", traindx.TreatOptions(only=("optimizer.lr banana",)))
    assert not (tmp_path / ".traindx").exists()


def test_a_large_directory_is_left_alone_unless_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workspace, "_LARGEST", 10)
    written(tmp_path, "0.3")
    with pytest.raises(traindx.TraindxError, match="use --in-place to run there"):
        traindx.treat("train.py")
    assert not list((tmp_path / ".traindx" / "treatments").iterdir())
    result = traindx.treat("train.py", traindx.TreatOptions(in_place=True, dry=True))
    assert result.report.runs
    assert any("ran in the working directory itself" in note for note in result.notes)


@pytest.mark.parametrize(
    ("engine", "address", "says"),
    [
        ("dask", None, "expected local or ray"),
        ("local", "host:6379", "--address needs --engine ray"),
        ("ray", "host", "expected HOST:PORT or auto"),
    ],
)
def test_an_engine_that_cannot_be_is_refused(
    engine: str, address: str | None, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "0.3")
    with pytest.raises(traindx.TraindxError, match=says):
        traindx.treat("train.py", engine=engine, address=address)
    assert not (tmp_path / ".traindx").exists()


def test_a_program_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(traindx.TraindxError, match="no such file"):
        traindx.treat("missing.py")
