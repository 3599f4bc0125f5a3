"""Whole reports on diagnoses and comparisons, as snapshots: a change of wording is reviewed as a diff."""

import re
import unicodedata
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from tests.report.renderers import canonical
from traindx.diagnosis.types import Diagnosis
from traindx.report.renderers import markdown, text
from traindx.run import Run
from traindx.trials.types import Report

ANSI = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "<img src=x onerror=alert(1)>|[x](javascript:1)*_`\x1b[2J\u202e\r\n# heading\x9b31m" + "w" * 90


def alone(run: Run, diagnosis: Diagnosis) -> Report:
    return Report((run,), diagnoses=(diagnosis,))


def reports() -> dict[str, Report]:
    hot, cool = canonical.demo_runs()
    return {
        "several": canonical.report(),
        "sick": alone(hot, canonical.sick()),
        "shared": alone(canonical.nan_run(), canonical.shared()),
        "healthy": alone(cool, canonical.healthy()),
        "inconclusive": alone(canonical.short_run(), canonical.inconclusive()),
        "compared": canonical.compared(),
        "hostile": hostile(),
    }


def hostile() -> Report:
    """Names from a log that try to become markup, escapes and columns of their own."""
    run, diagnosis = canonical.nan_run(), canonical.shared()
    series = tuple(replace(one, part=HOSTILE, layer=HOSTILE, name=HOSTILE) for one in run.series)
    top = diagnosis.suspects[0]
    spiked = tuple(
        replace(
            reason,
            says=HOSTILE,
            evidence=tuple(replace(e, part=HOSTILE, layer=HOSTILE) for e in reason.evidence),
        )
        for reason in top.reasons
    )
    spiked_run = replace(run, name=HOSTILE, series=series, sources=(HOSTILE,), notes=(HOSTILE,))
    spiked_diagnosis = replace(
        diagnosis, run=HOSTILE, says=HOSTILE, suspects=(replace(top, reasons=spiked), *diagnosis.suspects[1:])
    )
    comparison = canonical.compared().comparison
    assert comparison is not None
    entries = tuple(replace(e, run=HOSTILE, settings={HOSTILE: HOSTILE}) for e in comparison.entries)
    parted = tuple(replace(one, says=HOSTILE) for one in comparison.partings)
    return Report(
        (spiked_run,) * len(entries),
        diagnoses=(spiked_diagnosis,) * len(entries),
        comparison=replace(
            comparison, entries=entries, differing=(HOSTILE,), partings=parted, notes=(HOSTILE,)
        ),
    )


NAMES = list(reports())


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["several", "healthy", "inconclusive", "compared"])
def test_text(name: str, width: int, snapshot: SnapshotAssertion) -> None:
    assert text.render(reports()[name], width=width) == snapshot


@pytest.mark.parametrize("name", ["sick", "compared"])
def test_text_with_everything(name: str, snapshot: SnapshotAssertion) -> None:
    assert text.render(reports()[name], everything=True) == snapshot


@pytest.mark.parametrize("name", ["several", "compared"])
def test_markdown(name: str, snapshot: SnapshotAssertion) -> None:
    assert markdown.render(reports()[name]) == snapshot


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("width", [60, 80, 97, 120])
@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_wider_than_the_terminal(name: str, width: int, everything: bool) -> None:
    shown = text.render(reports()[name], width=width, everything=everything)
    assert max(cell_len(line) for line in shown.splitlines()) <= width


@pytest.mark.parametrize("name", NAMES)
def test_colour_adds_nothing_but_colour(name: str) -> None:
    plain, coloured = (text.render(reports()[name], colour=colour) for colour in (False, True))
    assert "\x1b" not in plain
    assert "\x1b[" in coloured
    stripped = [line.rstrip() for line in ANSI.sub("", coloured).splitlines()]
    assert stripped == plain.splitlines()


def test_nothing_from_a_log_reaches_the_terminal_unchecked() -> None:
    shown = text.render(hostile(), everything=True)
    unseen = {c for c in shown if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
    assert unseen == set()


def test_nothing_from_a_log_becomes_markup() -> None:
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown.render(hostile()))
    assert "<img" not in page
    assert "<a " not in page
    assert "<em>" not in page
    assert page.count("<h1>") == 1
    rows = re.findall(r"<tr>.*?</tr>", page, re.DOTALL)
    assert {len(re.findall("<t[hd]", row)) for row in rows} == {
        3,
        6,
        8,
    }  # reasons and questions; runs; series


def test_many_runs_are_an_overview_unless_everything_is_wanted() -> None:
    hot = canonical.demo_runs()[0]
    many = Report((hot,) * 9, diagnoses=(canonical.sick(),) * 9)
    short = text.render(many)
    assert short.count("Learning rate too\n") + short.count("Learning rate too high") == 9
    assert "9 runs not shown in detail (--all shows them)" in short
    assert "together" not in short
    assert text.render(many, everything=True).count("lower rate (about 5 minutes)") == 9


def test_a_run_that_says_nothing_still_gets_its_verdict() -> None:
    empty = Run("empty", (), ("empty.log",), ("Plain text",))
    shown = text.render(alone(empty, replace(canonical.inconclusive(), says="Nothing was recorded.")))
    assert "INCONCLUSIVE   Nothing was recorded." in shown
    assert "no quantity recognised" in shown


def test_a_sick_run_without_a_suspect_shows_its_sentence() -> None:
    hot = canonical.demo_runs()[0]
    lone = replace(canonical.sick(), suspects=(), says="The loss is NaN.", next_experiment=None)
    for shown in (text.render(alone(hot, lone)), markdown.render(alone(hot, lone))):
        assert "SICK" in shown
        assert "The loss is NaN." in shown


def test_points_shown_add_up() -> None:
    shown = text.render(reports()["sick"], everything=True)
    sums = re.split(r"(?m) +together +([+-][0-9.]+)$", shown)
    assert len(sums) > 3
    for lines, total in zip(sums[::2], sums[1::2], strict=False):
        points = re.findall(r"(?m)([+-][0-9]+\.[0-9])$", lines)
        assert sum(map(float, points)) == pytest.approx(float(total), abs=1e-9)


def test_the_verdict_and_the_cause_each_have_their_own_probability() -> None:
    hot = canonical.demo_runs()[0]
    lone = alone(hot, canonical.sick())
    assert re.search(r"^SICK 98 % +Learning rate too high +cause 87 % ", text.render(lone), re.MULTILINE)
    assert "**SICK** 98 %: **Learning rate too high**, cause 87 %" in markdown.render(lone)
    overview = text.render(reports()["several"])
    assert re.search(r"(?m)^ *hot +SICK 98 % .* 87 % ", overview)
    assert re.search(r"(?m)^ *cool +HEALTHY 93 % ", overview)


def test_a_run_too_short_to_judge_has_no_probability_of_health() -> None:
    report = reports()["inconclusive"]
    for shown in (text.render(report), markdown.render(report)):
        assert "46 %" not in shown
    asked = tuple(replace(one, answer=None) for one in canonical.inconclusive().asked)
    judged = alone(canonical.short_run(), replace(canonical.inconclusive(), asked=asked))
    assert "healthy 46 %" in text.render(judged)
    assert "healthy with 46 %" in markdown.render(judged)


def test_what_separates_a_rival_is_no_statement_about_the_run() -> None:
    shown = markdown.render(reports()["sick"])
    # From the page of the first suspect, and from the page of the rival.
    assert "`missing-warmup` 4 %: would show: with a warm-up to the same rate the run trains\n" in shown
    assert "`exploding-gradients` 6 %: would not show: gradients grow before" in shown


def test_only_what_something_speaks_against_is_ruled_out() -> None:
    diagnosis = canonical.sick()
    unheard = canonical.suspect(canonical.VANISHING, 0.003, (canonical.PRIOR,))
    mixed = alone(
        canonical.demo_runs()[0], replace(diagnosis, ruled_out=(diagnosis.ruled_out[0], unheard, unheard))
    )
    for shown in (text.render(mixed), markdown.render(mixed)):
        ruled_out = re.split("(?i)not judged", re.split("(?i)ruled out", shown)[1])[0]
        assert "lr-too-low" in ruled_out
        assert "vanishing-gradients" not in ruled_out
        assert "2 more causes: the log says too little about them" in shown


def test_every_finding_is_shown_even_if_the_first_suspect_has_other_reasons() -> None:
    diagnosis = canonical.sick()
    first, *others = diagnosis.suspects
    kept = tuple(reason for reason in first.reasons if reason.sign is not canonical.GROWS)
    other = replace(diagnosis, suspects=(replace(first, reasons=kept), *others))
    hot = canonical.demo_runs()[0]
    assert "noticed" not in text.render(alone(hot, diagnosis))
    assert "  noticed         gradients grow 31 times over steps 14-20\n" in text.render(alone(hot, other))


def test_a_line_of_code_that_cannot_be_broken_runs_on() -> None:
    diagnosis = canonical.sick()
    first, *others = diagnosis.suspects
    line = f'print("{"a bad value " * 8}")'
    fix = replace(first.cause.fixes[0], code=f"if bad:\n    {line}")
    spoken = replace(first, cause=replace(first.cause, fixes=(fix,)))
    shown = text.render(
        alone(canonical.demo_runs()[0], replace(diagnosis, suspects=(spoken, *others))), width=60
    )
    assert f"\n    if bad:\n        {line}\n" in shown
