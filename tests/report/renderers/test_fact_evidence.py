"""Reports on recordings whose evidence is a fact: a line of the program, before and after its change."""

import json as standard_json
from dataclasses import replace
from functools import cache
from html import unescape

import pytest
from jsonschema import Draft202012Validator

from tests.report.renderers.test_json_report import SCHEMA, closed
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis
from traindx.report import markdown, text
from traindx.report.fix import fixes_for
from traindx.report.pages import page_of
from traindx.report.renderers import html, json
from traindx.report.results.evidence import whereabouts
from traindx.run import EventKind
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
    run = replace(recorded(training), name="small")
    found = diagnose(run)
    return Report((run,), diagnoses=(found,)), found


@pytest.mark.parametrize("training", SICK, ids=("uncleared", "holes"))
def test_json_holds_the_fact_and_fits_the_schema(training: Training) -> None:
    report, found = diagnosed(training)
    document = standard_json.loads(json.render(report))
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    assert list(Draft202012Validator(closed(SCHEMA)).iter_errors(document)) == []
    first, told = found.suspects[0], document["runs"][0]["suspects"][0]
    assert (told["cause"], told["place"], told["layer"], told["batch"]) == (
        first.cause.slug,
        first.place,
        first.layer or None,
        first.batch,
    )
    assert told["evidence"][0]["quantity"] == first.evidence[0].quantity.slug
    assert told["evidence"][0]["value"] == first.evidence[0].value
    assert told["fixes"][0]["before"] == first.cause.fixes[0].before


def test_gradients_that_are_not_cleared_have_their_line() -> None:
    _, found = diagnosed(UNCLEARED)
    first = found.suspects[0]
    assert first.cause.slug == "gradients-not-cleared"
    assert first.place == STEP
    assert whereabouts(first) == [STEP]


def test_a_batch_that_holds_a_nan_is_named_in_every_report() -> None:
    report, found = diagnosed(HOLES)
    first = found.suspects[0]
    assert first.cause.slug == "non-finite-inputs"
    assert (first.batch, first.layer) == (2, "0")
    for shown in (
        text.write(page_of(report)),
        markdown.write(page_of(report)),
        unescape(html.render(report)),
    ):
        assert "batch 2" in shown
    (event,) = [one for one in report.runs[0].events if one.kind is EventKind.NONFINITE]
    assert event.says in markdown.write(page_of(report)).replace("\\", "")


@pytest.mark.parametrize("width", [80, 120])
def test_text_names_the_line_above_the_change(width: int) -> None:
    report, _ = diagnosed(UNCLEARED)
    shown = text.write(page_of(report), width=width)
    assert f"gradients-not-cleared · serious · {STEP}" in shown
    assert f"change          {STEP}" in shown
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize("training", SICK, ids=("uncleared", "holes"))
def test_pages_hold_the_place_and_the_code_before_and_after(training: Training) -> None:
    report, found = diagnosed(training)
    first = found.suspects[0]
    fix = first.cause.fixes[0]
    assert first.place
    assert fix.before
    assert fix.code
    document, page = markdown.write(page_of(report)), unescape(html.render(report))
    # Listings may be highlighted or indented: each line is there, in its order.
    assert first.place in document
    assert lines_in(fix.before, document)
    assert lines_in(fix.code, document)
    # The page shows the lines of the program itself where it knows them.
    shown = fixes_for(first.cause, report.runs[0])[0]
    assert (shown.at or first.place) in page
    changed = "\n".join(line[1:] for line in shown.diff)
    assert lines_in(changed or f"{fix.before}\n{fix.code}", page)
    assert document.index("Before") < document.index("After")


def lines_in(code: str, shown: str) -> bool:
    """Whether the lines of a listing stand in a text one after another."""
    place = -1
    for line in filter(None, map(str.strip, code.splitlines())):
        place = shown.find(line, place + 1)
        if place < 0:
            return False
    return True


def test_a_fact_holds_from_the_first_step_to_the_last() -> None:
    _, found = diagnosed(UNCLEARED)
    evidence = found.suspects[0].evidence[0]
    assert evidence.value == 0.0
    assert evidence.steps == (1.0, 60.0)
