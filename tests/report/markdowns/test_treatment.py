"""The two documents of a treatment."""

import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from syrupy.assertion import SnapshotAssertion

from tests import treatments
from tests.report.renderers import canonical
from traindx.changes.types import ChangeSpec
from traindx.report.markdowns.treatment import diagnostic_report, optimization_recommendations, trials_chapter
from traindx.report.renderers import markdown
from traindx.trials.types import Outcome, Report, Treatment

PAGE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def report(treatment: Treatment | None = None) -> Report:
    run, _ = canonical.demo_runs()
    return Report((run,), diagnoses=(canonical.sick(),), treatment=treatment)


def test_diagnostic_report(snapshot: SnapshotAssertion) -> None:
    assert diagnostic_report(report(), treatments.won()) == snapshot


@pytest.mark.parametrize("name", ["won", "lost", "mixed"])
def test_recommendations(name: str, snapshot: SnapshotAssertion) -> None:
    treatment: Treatment = getattr(treatments, name)()
    assert optimization_recommendations(report(), treatment) == snapshot


def test_the_proven_change_comes_before_what_failed_and_what_is_left() -> None:
    page = optimization_recommendations(report(), treatments.won())
    places = [
        page.index(words)
        for words in (
            "2.31 | 0.24",
            "```diff",
            "`gradients.clip 1.0`",
            "Find the rate by a range test",
            "Clip first",
        )
    ]
    assert places == sorted(places)
    assert "Not when: a run takes less time than the test." in page


def test_code_stands_in_for_a_patch_that_is_not_there() -> None:
    without = Treatment((treatments.LOWER,), treatments.LOWER)
    page = optimization_recommendations(report(), without)
    assert "group['lr'] *= 0.1" in page
    assert "```diff" not in page


def test_what_is_open_is_said_to_need_more_seeds() -> None:
    page = optimization_recommendations(report(), Treatment((treatments.HOPEFUL,), None))
    assert "`activation.replace relu leaky_relu` is open" in page
    assert "Next experiment: Repeat 200 steps" in page


def test_a_treatment_without_a_diagnosis_is_told_as_well() -> None:
    page = optimization_recommendations(Report(()), treatments.lost())
    assert "No proven win" in page
    assert "`schedule.warmup 100`" in page


def test_the_markdown_of_a_report_holds_the_trials_of_its_first_run() -> None:
    page = markdown.render(report(treatments.won()))
    assert "\n".join(trials_chapter(treatments.won())) in page
    assert "### Trials" not in markdown.render(report())
    assert "### Trials" not in markdown.render(report(Treatment((), None)))
    several = replace(canonical.report(), treatment=treatments.lost())
    assert markdown.render(several).count("### Trials") == 1


def pages_of(treatment: Treatment) -> list[str]:
    return [diagnostic_report(report(), treatment), optimization_recommendations(report(), treatment)]


def test_nothing_becomes_markup() -> None:
    for page in pages_of(treatments.hostile()):
        shown = PAGE.render(page)
        assert not re.search(r"<(b|img|a|script)\b", shown)
        assert all(unicodedata.category(one) != "Cc" for one in page if one != "\n")
        # What tries to be a heading of its own stays where it is.
        assert "<h1>z" not in shown
        assert shown.count("<h1>") == 1


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40))
def test_whatever_a_change_is_called_it_stays_in_its_cell(name: str) -> None:
    odd = replace(
        treatments.LOWER, changes=(ChangeSpec(name),), title=name, says=name, outcome=Outcome.INCONCLUSIVE
    )
    shown = PAGE.render("\n".join(trials_chapter(Treatment((odd,), odd, name, name))))
    assert shown.count("<td") == 5
    assert shown.count("<table>") == 1
    assert "<b>" not in shown


@given(st.text(st.sampled_from("`~ ab\n"), max_size=40))
def test_no_patch_ends_its_own_fence(patch: str) -> None:
    page = optimization_recommendations(
        report(), Treatment((treatments.LOWER,), treatments.LOWER, f"+{patch}")
    )
    shown = PAGE.render(page)
    assert shown.count('<pre><code class="language-diff">') == 1
    assert "<h2>" in shown.partition("</code></pre>")[2]
