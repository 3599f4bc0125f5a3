"""Whole reports on diagnoses and comparisons, as snapshots: a change of wording is reviewed as a diff."""

import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from syrupy.assertion import SnapshotAssertion

from tests.report.formats import canonical
from traindx.diagnosis.types import Diagnosis
from traindx.readers.loading.runs import read
from traindx.report import markdown, text, text_lines
from traindx.report.pages import page_of, quiet_lines
from traindx.run import Axis, Begins, Run, Segment
from traindx.trials.types import Report

ANSI = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\")
HOSTILE = "<img src=x onerror=alert(1)>|[x](javascript:1)*_`\x1b[2J\u202e\r\n# heading\x9b31m" + "w" * 90
DEMO = Path(__file__).parents[3] / "src/traindx/demo"
LIMITS = {"sick": 24, "shared": 24, "healthy": 8, "inconclusive": 18, "several": 24}


def alone(run: Run, diagnosis: Diagnosis) -> Report:
    return Report((run,), diagnoses=(diagnosis,))


def screen(report: Report, *, width: int = 80, color: bool = False, everything: bool = False) -> str:
    return text.write(page_of(report, kept="report.html"), width=width, color=color, everything=everything)


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
    series = tuple(replace(curve, part=HOSTILE, layer=HOSTILE, name=HOSTILE) for curve in run.series)
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
    parted = tuple(replace(parting, says=HOSTILE) for parting in comparison.partings)
    return Report(
        (spiked_run,) * len(entries),
        diagnoses=(spiked_diagnosis,) * len(entries),
        comparison=replace(
            comparison, entries=entries, differing=(HOSTILE,), partings=parted, notes=(HOSTILE,)
        ),
    )


NAMES = list(reports())


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Report:
    monkeypatch.chdir(DEMO)
    restarted = tmp_path / "restarted.csv"
    restarted.write_text("step,loss,odd\n0,3,1\n1,2,1\n2,nan,1\n1,2.5,1\n2,2,1\n3,1,1\n")
    bundled = read(["hot", "cool", "nowhere.log"])
    monkeypatch.chdir(tmp_path)
    return Report((*bundled.runs, *read(["restarted.csv"]).runs), bundled.problems, other_files=2)


def test_what_was_read(reading: Report, snapshot: SnapshotAssertion) -> None:
    assert screen(reading) == snapshot


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["several", "sick", "shared", "healthy", "inconclusive", "compared"])
def test_text(name: str, width: int, snapshot: SnapshotAssertion) -> None:
    assert screen(reports()[name], width=width) == snapshot


@pytest.mark.parametrize("name", ["sick", "compared"])
def test_text_with_everything(name: str, snapshot: SnapshotAssertion) -> None:
    assert screen(reports()[name], everything=True) == snapshot


@pytest.mark.parametrize("name", ["sick", "several", "compared"])
def test_markdown(name: str, snapshot: SnapshotAssertion) -> None:
    assert markdown.write(page_of(reports()[name])) == snapshot


@pytest.mark.parametrize(("name", "most"), LIMITS.items())
def test_a_screen_has_few_lines(name: str, most: int) -> None:
    assert len(screen(reports()[name]).splitlines()) <= most


@pytest.mark.parametrize("name", NAMES)
def test_markdown_fits_a_pull_request(name: str) -> None:
    page = page_of(reports()[name])
    assert len(markdown.write(page).splitlines()) <= 60
    headings = re.findall("(?m)^## ", markdown.write(page, everything=True))
    assert len(headings) >= len(page.sections)


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("width", [60, 80, 97, 120])
@pytest.mark.parametrize("name", NAMES)
def test_only_single_words_are_wider_than_the_terminal(name: str, width: int, everything: bool) -> None:
    for line in screen(reports()[name], width=width, everything=everything).splitlines():
        assert text_lines.cells(line) <= width or len(line.split()) <= 2, line


def test_labels_move_above_their_text_where_there_is_little_room() -> None:
    lines = screen(reports()["sick"], width=50).splitlines()
    assert "SICK" in lines
    assert max(map(text_lines.cells, (line for line in lines if line[:4] != "    "))) <= 60


@pytest.mark.parametrize("name", NAMES)
def test_color_adds_nothing_but_color(name: str) -> None:
    plain, colored = (screen(reports()[name], color=color) for color in (False, True))
    assert "\x1b" not in plain
    assert "\x1b[" in colored
    stripped = [line.rstrip() for line in ANSI.sub("", colored).splitlines()]
    assert stripped == plain.splitlines()


def test_ascii_is_enough() -> None:
    shown = text.write(page_of(reports()["sick"]), unicode=False)
    assert shown.isascii()
    assert "*" in shown


def test_nothing_from_a_log_reaches_the_terminal_unchecked() -> None:
    shown = screen(hostile(), everything=True)
    assert {c for c in shown if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"} == set()


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("compared", [False, True])
def test_nothing_from_a_log_becomes_markup(compared: bool, everything: bool) -> None:
    report = hostile() if compared else replace(hostile(), comparison=None)
    written = markdown.write(page_of(report), everything=everything)
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(written)
    for active in ("<img", "<a ", "<em>", "<h1>"):
        assert active not in page


def test_many_runs_are_one_table_and_the_worst_comes_first() -> None:
    hot, cool = canonical.demo_runs()
    many = Report((cool, *(hot,) * 9), diagnoses=(canonical.healthy(), *(canonical.sick(),) * 9))
    lines = screen(many).splitlines()
    assert sum(line.strip().startswith("SICK") for line in lines) == 9
    assert lines.index(next(line for line in lines if "HEALTHY" in line)) > 9
    assert "WHY" not in screen(many)
    assert screen(many, everything=True).count("WHY LEARNING RATE TOO HIGH") == 0
    assert screen(many, everything=True).count("Why learning rate too high") == 9


def test_a_hundred_sick_runs_leave_a_screen_and_the_next_command_can_be_pasted() -> None:
    hot = replace(canonical.demo_runs()[0], name="my runs/hot", sources=("my runs/hot", "my runs/log"))
    shown = screen(Report((hot,) * 100, diagnoses=(canonical.sick(),) * 100))
    assert len(shown.splitlines()) <= 24
    assert "84 more" in shown
    assert "traindx diagnose 'my runs/hot'" in shown


def test_a_run_that_was_resumed_says_so() -> None:
    hot, loss = canonical.demo_runs()[0], canonical.demo_runs()[0].series[:1]
    parts = [(Begins.START, 0.0), (Begins.RESUME, 120.0)]
    joined = tuple(Segment(begins, first, 299.0, Axis.STEP, loss) for begins, first in parts)
    resumed = replace(hot, segments=joined)
    for report in (alone(resumed, canonical.sick()), Report((resumed,))):
        assert "resumed at step 120; joined into one run" in " ".join(screen(report).split())
    assert "resumed" not in screen(alone(hot, canonical.sick()))


def test_a_run_that_says_nothing_still_gets_its_verdict() -> None:
    empty = Run("empty", (), ("empty.log",), ("Plain text",))
    shown = screen(alone(empty, replace(canonical.inconclusive(), says="Nothing was recorded")))
    assert re.search(r"(?m)^INCONCLUSIVE +Nothing was recorded", shown)
    assert "no quantity recognized" in shown


def test_a_sick_run_without_a_suspect_shows_its_sentence() -> None:
    hot = canonical.demo_runs()[0]
    lone = replace(canonical.sick(), suspects=(), says="The loss is NaN", next_experiment=None)
    for shown in (screen(alone(hot, lone)), markdown.write(page_of(alone(hot, lone)))):
        assert "SICK" in shown
        assert "Cause unclear" in shown
        assert "The loss is NaN" in shown


def test_log_odds_shown_add_up() -> None:
    shown = screen(reports()["sick"], everything=True)
    sums = re.split(r"(?m)^ +([+-][0-9.]+) +total$", shown)
    assert len(sums) > 3
    for lines, total in zip(sums[::2], sums[1::2], strict=False):
        points = re.findall(r"(?m)^ +([+-][0-9]+\.[0-9])  ", lines)
        assert sum(map(float, points)) == pytest.approx(float(total), abs=1e-9)


def test_the_headline_has_one_number_and_it_is_that_of_the_cause() -> None:
    headline = next(line for line in screen(reports()["sick"]).splitlines() if line.startswith("SICK"))
    assert re.findall(r"[<>]?\d+%", headline) == ["87%"]


@pytest.mark.parametrize(
    ("first", "second", "clear"),
    [(0.29, 0.1, False), (0.85, 0.84, False), (0.5, 0.4, False), (0.85, 0.1, True)],
)
def test_a_cause_that_does_not_stand_out_in_a_log_is_no_headline(
    first: float, second: float, clear: bool
) -> None:
    diagnosis = canonical.sick()
    suspect, other, *_ = diagnosis.suspects
    close = replace(
        diagnosis, suspects=(replace(suspect, confidence=first), replace(other, confidence=second))
    )
    shown = screen(alone(canonical.demo_runs()[0], close))
    assert ("COULD BE" not in shown) is clear
    assert ("\nFIX" in shown) is clear


def test_a_log_says_what_a_log_cannot_tell() -> None:
    assert "LIMITS   a log has no gradients" in screen(reports()["sick"])


def test_a_line_for_scripts() -> None:
    assert quiet_lines(reports()["sick"], "report.html") == [
        "SICK lr-too-high 87% · Learning rate too high · report.html"
    ]


def test_only_what_something_contradicts_is_ruled_out() -> None:
    diagnosis = canonical.sick()
    unheard = canonical.suspect(canonical.VANISHING, 0.003, (canonical.PRIOR,))
    mixed = alone(
        canonical.demo_runs()[0], replace(diagnosis, ruled_out=(diagnosis.ruled_out[0], unheard, unheard))
    )
    shown = screen(mixed, everything=True).partition("RULED OUT")[2].partition("ALL CHECKS")[0]
    assert "lr-too-low" in shown
    assert "vanishing-gradients" not in shown
    assert "2 more causes" in shown


def test_every_finding_is_shown_even_if_the_first_suspect_has_other_reasons() -> None:
    diagnosis = canonical.sick()
    first, *others = diagnosis.suspects
    kept = tuple(reason for reason in first.reasons if reason.sign is not canonical.GROWS)
    other = replace(diagnosis, suspects=(replace(first, reasons=kept), *others))
    hot = canonical.demo_runs()[0]
    heading = "OTHER OBSERVATIONS"
    assert heading not in screen(alone(hot, diagnosis), everything=True)
    assert heading in screen(alone(hot, other), everything=True)


def test_code_is_never_broken() -> None:
    diagnosis = canonical.sick()
    first, *others = diagnosis.suspects
    line = f'print("{"a bad value " * 8}")'
    fix = replace(first.cause.fixes[0], code=f"if bad:\n    {line}", before="")
    spoken = replace(first, cause=replace(first.cause, fixes=(fix,)))
    report = alone(canonical.demo_runs()[0], replace(diagnosis, suspects=(spoken, *others)))
    assert f"    if bad:\n          {line}\n" in screen(report, width=60, everything=True)
