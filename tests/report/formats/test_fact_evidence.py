"""Reports on recordings whose evidence is a fact: a line of the program, before and after its change."""

import json as standard_json
from dataclasses import replace
from functools import cache
from html import unescape

import pytest
from jsonschema import Draft202012Validator

from tests.report.formats.test_json_report import SCHEMA, closed
from traindx import facts as f
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis
from traindx.report import markdown, text
from traindx.report.fix import fixes_for
from traindx.report.json import report as json
from traindx.report.pages import as_html, page_of
from traindx.report.results.evidence import whereabouts
from traindx.run import EventKind, Fact, Scalar
from traindx.trials.types import Report

pytest.importorskip("torch")

from tests.trainings import CLASSIFIES, Data, Training, clusters, place, rate, recorded

STEP = place("optimizer.step()")


def with_holes() -> Data:
    data = clusters()
    data.inputs[7, 3] = float("nan")
    return data


UNCLEARED = replace(CLASSIFIES, clears=False, optimizer=rate(0.001))
HOLES = replace(CLASSIFIES, data=with_holes, shuffles=False, batch=4)
SICK = (UNCLEARED, HOLES)


@cache
def diagnosed(training: Training) -> tuple[Report, Diagnosis]:
    run = recorded(training)
    # Whoever calls the tests, the program has a name and no arguments.
    program: dict[Fact, Scalar] = {f.SCRIPT: "train.py", f.PROGRAM_ARGUMENTS: ""}
    run = replace(run, name="small", facts={**run.facts, **program})
    diagnosis = diagnose(run)
    return Report((run,), diagnoses=(diagnosis,)), diagnosis


@pytest.mark.parametrize("training", SICK, ids=("uncleared", "holes"))
def test_json_holds_the_fact_and_fits_the_schema(training: Training) -> None:
    report, diagnosis = diagnosed(training)
    document = standard_json.loads(json.render(report))
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    assert list(Draft202012Validator(closed(SCHEMA)).iter_errors(document)) == []
    first, suspect = diagnosis.suspects[0], document["runs"][0]["suspects"][0]
    assert (suspect["cause"], suspect["place"], suspect["layer"], suspect["batch"]) == (
        first.cause.slug,
        first.place,
        first.layer or None,
        first.batch,
    )
    assert suspect["evidence"][0]["quantity"] == first.evidence[0].quantity.slug
    assert suspect["evidence"][0]["value"] == first.evidence[0].value
    assert suspect["fixes"][0]["before"] == first.cause.fixes[0].before


def test_gradients_that_are_not_cleared_have_their_line() -> None:
    _, diagnosis = diagnosed(UNCLEARED)
    first = diagnosis.suspects[0]
    assert first.cause.slug == "gradients-not-cleared"
    assert first.place == STEP
    assert whereabouts(first) == [STEP]


def test_a_batch_that_holds_a_nan_is_named_in_every_report() -> None:
    report, diagnosis = diagnosed(HOLES)
    first = diagnosis.suspects[0]
    assert first.cause.slug == "non-finite-inputs"
    assert (first.batch, first.layer) == (2, "0")
    for shown in (
        text.write(page_of(report)),
        markdown.write(page_of(report)),
        unescape(as_html(report)),
    ):
        assert "batch 2" in shown
    (event,) = [happening for happening in report.runs[0].events if happening.kind is EventKind.NONFINITE]
    assert event.says in markdown.write(page_of(report))


@pytest.mark.parametrize("width", [80, 120])
def test_text_names_the_line_above_the_change(width: int) -> None:
    report, diagnosis = diagnosed(UNCLEARED)
    shown = text.write(page_of(report), width=width)
    fix = fixes_for(diagnosis.suspects[0].cause, report.runs[0])[0]
    head, *below = shown.partition("\nFIX ")[2].splitlines()
    assert fix.at in head
    assert fix.safety in head
    assert [line.removeprefix("    ") for line in below[: len(fix.diff)]] == list(fix.diff)
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize("width", [80, 120])
def test_without_a_diff_the_fix_has_the_line_to_look_at(width: int) -> None:
    report, diagnosis = diagnosed(HOLES)
    assert fixes_for(diagnosis.suspects[0].cause, report.runs[0])[0].diff == ()
    head = text.write(page_of(report), width=width).partition("\nFIX ")[2].splitlines()[0]
    assert diagnosis.suspects[0].place in head


@pytest.mark.parametrize("training", SICK, ids=("uncleared", "holes"))
def test_the_title_of_the_cause_is_said_once(training: Training) -> None:
    report, diagnosis = diagnosed(training)
    title = diagnosis.suspects[0].cause.title
    assert text.write(page_of(report)).lower().count(title.lower()) == 1
    assert title.lower() not in diagnosis.says.lower()


@pytest.mark.parametrize("training", SICK, ids=("uncleared", "holes"))
def test_pages_hold_the_place_and_the_code_before_and_after(training: Training) -> None:
    report, diagnosis = diagnosed(training)
    first = diagnosis.suspects[0]
    fix = first.cause.fixes[0]
    assert first.place
    assert fix.before
    assert fix.code
    brief, whole = (markdown.write(page_of(report), everything=everything) for everything in (False, True))
    page = unescape(as_html(report))
    # The lines of the program itself if they are known, else those of the fix, before and after.
    shown = fixes_for(first.cause, report.runs[0])[0]
    changed = "\n".join(line[1:] for line in shown.diff)
    for written in (brief, whole, page):
        assert (shown.at or first.place) in written
    # Listings may be highlighted or indented: each line is there, in its order.
    for written in (whole, page):
        assert first.place in written
        assert lines_in(changed or f"{fix.before}\n{fix.code}", written)
    assert lines_in(changed, brief)
    assert changed or whole.index("Before") < whole.index("After")


def lines_in(code: str, shown: str) -> bool:
    """Whether the lines of a listing stand in a text one after another."""
    index = -1
    for line in filter(None, map(str.strip, code.splitlines())):
        index = shown.find(line, index + 1)
        if index < 0:
            return False
    return True


def test_a_fact_holds_from_the_first_step_to_the_last() -> None:
    _, diagnosis = diagnosed(UNCLEARED)
    evidence = diagnosis.suspects[0].evidence[0]
    assert evidence.value == 0.0
    assert evidence.steps == (1.0, 60.0)
