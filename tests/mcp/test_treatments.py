"""What an agent is told of a treatment: what is proven, and what to do with it."""

from pathlib import Path

import pytest

pytest.importorskip("mcp")

import traindx
from tests.cli.calling import HOT
from tests.treatments import BELIEFS, UNTRIED, hostile, lost, mixed, won
from traindx.changes.source.patch import Patch
from traindx.mcp.worker import treatment_found
from traindx.trials.treatment import TreatResult
from traindx.trials.types import Candidate, Report, Treatment


def treated(treatment: Treatment, plan: tuple[Candidate, ...] = ()) -> TreatResult:
    (run,) = traindx.load(HOT)
    report = Report((run,), diagnoses=(traindx.diagnose(run),), treatment=treatment)
    patch: Patch | None = None
    beliefs = BELIEFS if treatment.trials else ()
    return TreatResult(report, treatment, patch, plan, beliefs, "python train.py", Path("x"), 3.0)


def test_a_win_is_told_with_its_trial_its_patch_and_consent() -> None:
    treatment = treatment_found(treated(won()), "normal", folder="x", patch_file="x/fix.patch")
    assert treatment.outcome == "proven"
    assert treatment.best is not None
    assert (treatment.best.change, treatment.best.outcome, treatment.best.seeds) == (
        "optimizer.lr x 0.01",
        "helped",
        3,
    )
    assert treatment.best.interval == [-2.21, -1.93]
    assert "optimizer.lr x 0.01" not in [trial.change for trial in treatment.trials]
    assert "+optimizer = SGD(model.parameters(), lr=0.03)" in treatment.patch
    assert "ask before you apply x/fix.patch" in treatment.next_step.do
    assert treatment.before.next_step is None
    assert any("untried" in limit for limit in treatment.limits)


def test_a_patch_that_was_not_run_is_said_to_be_unverified() -> None:
    assert (
        "not verified"
        in treatment_found(treated(mixed()), "brief", folder="x", patch_file="fix.patch").next_step.do
    )


def test_no_win_is_told_as_one() -> None:
    treatment = treatment_found(treated(lost()), "brief", folder="x")
    assert treatment.outcome == "no proven win"
    assert treatment.best is None
    assert not treatment.patch
    assert "no fix is proven" in treatment.next_step.do


def test_a_plan_and_nothing_to_do_are_told_apart() -> None:
    nothing = Treatment((), None)
    planned = treatment_found(treated(nothing, (UNTRIED,)), "brief", folder="x", is_dry=True)
    assert planned.outcome == "planned"
    assert [planned_trial.change for planned_trial in planned.planned] == ["optimizer.momentum 0.5"]
    assert planned.next_step.tool == "treat"
    for plan in ((), (UNTRIED,)):
        treatment = treatment_found(treated(nothing, plan), "brief", folder="x")
        assert treatment.outcome == "nothing to treat"
        # Else an agent would call it again and again.
        assert not treatment.next_step.tool


def test_names_cannot_steer_a_terminal() -> None:
    document = treatment_found(treated(hostile()), "full", folder="x").model_dump()
    texts = [
        str(sentence)
        for trial in [document["best"], *document["trials"]]
        for sentence in (trial["change"], trial["says"])
    ]
    assert all(text.isprintable() for text in texts)
