"""What a report rests on, and what is said where it rests on less or on something else."""

import json
from pathlib import Path

import pytest

from tests.cli.calling import COOL, DEMO, HOT
from traindx.cli import main

FALLING = "".join(f"step {i} loss {2 / (i + 1) + 0.1:.4f}\n" for i in range(60))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_gate_is_not_passed_by_a_log_that_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    for missing in ("missing.log", "empty"):
        assert main(["diagnose", missing, COOL, "--fail-on", "sick"]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"traindx diagnose: {missing}: ")
        assert said.endswith("; --fail-on can't judge it\n")
        assert main(["diagnose", missing, COOL]) == 0
        assert main(["diagnose", missing, HOT, "--fail-on", "sick"]) == 1
        capsys.readouterr()


def test_a_gate_is_passed_where_a_folder_holds_one_broken_file() -> None:
    Path("runs").mkdir()
    Path("runs/train.log").write_text(FALLING)
    Path("runs/trainer_state.json").write_text("version https://git-lfs.github.com/spec/v1\n")
    assert main(["diagnose", "runs", "--fail-on", "sick"]) == 0


def test_a_name_that_occurs_nowhere_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.csv").write_text("step,loss,kappa\n" + "".join(f"{i},{1 / (i + 1)},{i}\n" for i in range(30)))
    for given, says in (
        ("nosuch=val_loss", '"nosuch"; traindx inspect shows the names they hold\n'),
        ("kapa=val_score", '"kapa"; did you mean kappa?\n'),
    ):
        assert main(["diagnose", "run.csv", "--map", given]) == 0
        assert capsys.readouterr().err == f"traindx diagnose: --map: no value in the logs is called {says}"
    assert main(["diagnose", "run.csv", "--map", "kappa=val_score", "--map", "loss=train_loss"]) == 0
    assert capsys.readouterr().err == ""


def test_another_limit_changes_the_answer() -> None:
    answers = []
    for limits in ([], ["--limit", "validation_turns_up.points=1000000"]):
        main(["diagnose", str(DEMO / "overfit"), "--json", "out.json", *limits])
        findings = json.loads(Path("out.json").read_text())["runs"][0]["findings"]
        answers.append("validation_turns_up" in {finding["sign"] for finding in findings})
    assert answers == [True, False]


def test_a_report_under_changed_limits_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    overfit = str(DEMO / "overfit")
    assert main(["diagnose", overfit]) == 0
    assert "limits  " not in capsys.readouterr().out
    assert main(["diagnose", overfit, "--limit", "validation_turns_up.points=1000"]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    assert last.split()[:4] == ["limits", "validation_turns_up.points", "is", "1,000"]
    assert "default: 5" in last


def test_the_project_keeps_limits() -> None:
    Path("pyproject.toml").write_text("[tool.traindx.limits]\nvalidation_turns_up.points = 1e6\n")
    main(["diagnose", str(DEMO / "overfit"), "--json", "out.json"])
    findings = json.loads(Path("out.json").read_text())["runs"][0]["findings"]
    assert "validation_turns_up" not in {finding["sign"] for finding in findings}


def test_a_short_run_meets_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    Path("short.csv").write_text("step,loss\n0,1\n1,0.9\n")
    assert main(["diagnose", "short.csv", "--fail-on", "inconclusive"]) == 1
    assert main(["diagnose", "short.csv", "--fail-on", "sick"]) == 0
    capsys.readouterr()
