"""When --fail-on is met, told on diagnoses with known shares."""

import json
from pathlib import Path

import pytest

from tests.cli.calling import COOL, DEMO, HOT
from traindx.cli import main
from traindx.cli._conditions import conditions_from, stopping
from traindx.diagnosis import knowledge
from traindx.diagnosis.types import Diagnosis, Suspect, Verdict
from traindx.finding import Severity
from traindx.run import Run
from traindx.trials.types import Report


def report(verdict: Verdict, healthy: float, *suspects: tuple[str, float, str]) -> Report:
    """One run with suspects given as slug, share and mechanism."""
    named = tuple(
        Suspect(
            knowledge.cause_named(slug),
            share,
            0.0,
            (),
            Severity.SERIOUS,
            knowledge.cause_named(mechanism) if mechanism else None,
        )
        for slug, share, mechanism in suspects
    )
    return Report(
        (Run("a run", ()),), diagnoses=(Diagnosis("a run", verdict, "", healthy, named, (), (), ()),)
    )


SICK = report(
    Verdict.SICK,
    0.1,
    ("lr-too-high", 0.5, "exploding-gradients"),
    ("exploding-gradients", 0.3, ""),
    ("missing-warmup", 0.1, ""),
)
TOO_SHORT = report(Verdict.INCONCLUSIVE, 0.2, ("lr-too-high", 0.8, ""))
HEALTHY = report(Verdict.HEALTHY, 0.95, ("lr-too-high", 0.05, ""))


@pytest.mark.parametrize(
    ("given", "condition", "met"),
    [
        (SICK, "sick", "--fail-on sick is met by a run (90%)"),
        (SICK, "sick:0.9", "--fail-on sick:0.9 is met by a run (90%)"),
        (SICK, "sick:0.91", ""),
        (SICK, "lr-too-high", "--fail-on lr-too-high is met by a run (50%)"),
        (SICK, "exploding-gradients", "--fail-on exploding-gradients is met by a run (80%)"),
        (SICK, "exploding-gradients:0.75", "--fail-on exploding-gradients:0.75 is met by a run (80%)"),
        (SICK, "missing-warmup", ""),
        (SICK, "missing-warmup:0.1", "--fail-on missing-warmup:0.1 is met by a run (10%)"),
        (SICK, "inconclusive", ""),
        (TOO_SHORT, "sick", ""),
        (TOO_SHORT, "sick:0.1", ""),
        (TOO_SHORT, "lr-too-high", ""),
        (TOO_SHORT, "lr-too-high:0.8", "--fail-on lr-too-high:0.8 is met by a run (80%)"),
        (TOO_SHORT, "inconclusive", "--fail-on inconclusive is met by a run"),
        (HEALTHY, "sick:0", ""),
        (HEALTHY, "lr-too-high", ""),
    ],
)
def test_conditions(given: Report, condition: str, met: str) -> None:
    (asked,) = conditions_from([condition])
    assert asked.met_by(given) == met


@pytest.mark.parametrize(
    ("given", "condition", "why"),
    [
        (SICK, "sick", "stopped at step 0: --fail-on sick was met (90%)"),
        (SICK, "sick:0.91", ""),
        (SICK, "lr-too-high", "stopped at step 0: --fail-on lr-too-high was met (50%)"),
        (SICK, "missing-warmup", ""),
        (SICK, "missing-warmup:0.1", "stopped at step 0: --fail-on missing-warmup:0.1 was met (10%)"),
        # What is too short to tell may still become anything.
        (TOO_SHORT, "inconclusive", ""),
        (TOO_SHORT, "lr-too-high:0.8", ""),
        (HEALTHY, "lr-too-high:0.01", ""),
    ],
)
def test_conditions_that_stop_a_run(given: Report, condition: str, why: str) -> None:
    met = stopping(conditions_from([condition]), given)
    assert [outcome.afterward for outcome in met.values()] == ([why] if why else [])
    assert list(met) == ([("a run", condition)] if why else [])


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
    for condition, says in (
        ("nosuch=val_loss", '"nosuch"; traindx inspect shows the names they hold\n'),
        ("kapa=val_score", '"kapa"; did you mean kappa?\n'),
    ):
        assert main(["diagnose", "run.csv", "--map", condition]) == 0
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
    assert "default: 4" in last


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
