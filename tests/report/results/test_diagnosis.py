"""Screens of diagnoses: each cause has one that fits a terminal, with its line, its fix and one command."""

from dataclasses import replace

import pytest

from tests.report.formats import canonical
from tests.report.results.screens import MOST_LINES, WIDTH
from traindx import facts as f
from traindx.cause import Cause
from traindx.diagnosis import knowledge
from traindx.diagnosis.types import INSIDE, Diagnosis, NextExperiment, NotRecorded
from traindx.report import text, text_lines
from traindx.report.blocks import Chart, Command, Entry
from traindx.report.results import diagnosis
from traindx.run import Fact, Run, Scalar

AT = "src/training/train_classifier.py:131"
REPORT = ".traindx/runs/train-1/report.html"
MOST_OPEN = 18


def recording() -> Run:
    hot = canonical.demo_runs()[0]
    recorded: dict[Fact, Scalar] = {
        f.RECORDING_COST: 0.01,
        f.RECORDED_SECONDS: 30.0,
        f.SCRIPT: "train.py",
        f.FRAMEWORK: "torch",
    }
    return replace(hot, facts={**hot.facts, **recorded})


def accused(cause: Cause, confidence: float = 0.87) -> Diagnosis:
    """A sick run, by this cause at a line that no edit can be written for."""
    sick = canonical.sick()
    first, *others = sick.suspects
    top = replace(first, cause=cause, confidence=confidence, line=AT)
    test = NextExperiment(cause, cause.experiment, (), 12.0)
    return replace(sick, suspects=(top, *others), next_experiment=test)


def undecided(cause: Cause) -> Diagnosis:
    unclear = canonical.inconclusive()
    first, *others = unclear.suspects
    test = NextExperiment(cause, cause.experiment, (), 12.0)
    return replace(unclear, suspects=(replace(first, cause=cause), *others), next_experiment=test)


@pytest.mark.parametrize("run", [canonical.demo_runs()[0], recording()], ids=("log", "recording"))
@pytest.mark.parametrize("cause", knowledge.causes(), ids=lambda cause: cause.slug)
def test_every_cause_fits_a_terminal(cause: Cause, run: Run) -> None:
    limits = ((accused(cause), MOST_LINES), (accused(cause, 0.2), MOST_LINES), (undecided(cause), MOST_OPEN))
    for judged, most in limits:
        page = diagnosis.page(run, judged, report=REPORT)
        lines = text.write(page, width=WIDTH).splitlines()
        assert len(lines) <= most
        assert max(map(text_lines.cells, lines)) <= WIDTH
        # One command to type, and where the report is.
        assert sum(isinstance(block, Command) for block in page.screen) == 2
        assert len([block for block in page.screen if isinstance(block, Chart)]) == 1


def fix_of(run: Run, cause: Cause = canonical.TOO_HIGH) -> Entry:
    page = diagnosis.page(run, accused(cause))
    (fix,) = (block for block in page.screen if isinstance(block, Entry) and block.label == "FIX")
    return fix


def test_a_fix_that_no_edit_expresses_has_its_line_and_the_numbers_of_the_run() -> None:
    fix = fix_of(recording())
    assert fix.at == f"{AT} · review"
    assert fix.says.endswith("(lr 2 -> 0.2)")


def test_an_example_does_not_contradict_the_numbers_of_the_run() -> None:
    code = canonical.TOO_HIGH.fixes[0].code.splitlines()[0]
    unknown = replace(recording(), facts={f.RECORDED_SECONDS: 30.0, f.SCRIPT: "train.py"})
    assert code in text.write(diagnosis.page(unknown, accused(canonical.TOO_HIGH)))
    assert code not in text.write(diagnosis.page(recording(), accused(canonical.TOO_HIGH)))


def test_the_mechanism_of_the_cause_is_not_listed_next_to_it() -> None:
    shown = text.write(diagnosis.page(recording(), canonical.sick()))
    (rivals,) = (line for line in shown.splitlines() if line.startswith("OR "))
    assert "exploding" not in rivals
    assert "no warm-up 4%" in rivals


def test_what_only_a_recording_has_is_missing_by_its_name() -> None:
    lacking = replace(canonical.inconclusive(), not_recorded=(NotRecorded(INSIDE, "dead-relu"),))
    (line,) = (
        line
        for line in text.write(diagnosis.page(canonical.short_run(), lacking)).splitlines()
        if line.startswith("MISSING")
    )
    assert "per-layer data" in line


def test_a_log_too_short_for_a_suspect_is_told_how_to_record_more() -> None:
    short = replace(canonical.inconclusive(), suspects=(), next_experiment=None)
    assert "\nrecord " in text.write(diagnosis.page(canonical.short_run(), short))
