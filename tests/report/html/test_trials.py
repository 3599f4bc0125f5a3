"""The trials on the page."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests import treatments
from tests.report.renderers import canonical
from traindx.changes.types import ChangeSpec, Measure
from traindx.report.html.trials import trials_part
from traindx.report.renderers import html
from traindx.trials.types import Outcome, Report, Treatment, Trial


def test_every_trial_is_a_line_of_the_table() -> None:
    part = trials_part(treatments.won())
    assert part.count("<tr>") == 1 + 6
    assert '<th scope="row"><code>optimizer.lr x 0.01</code></th>' in part
    assert '<span class="badge healthy">helped</span>, 3 of 3 seeds' in part
    assert '<td class="number">-2.07 [-2.21, -1.93]</td>' in part
    assert "<b>Proven:</b> Lower the learning rate ten times" in part
    assert "+optimizer = SGD(model.parameters(), lr=0.03)" in part
    assert "stalled after 12 steps" in part


def test_the_arms_of_the_best_are_drawn_with_and_without_the_change() -> None:
    part = trials_part(treatments.won())
    panels = re.findall(r'<div class="pane[^>]*><p>(.*?)</p>', part)
    assert panels == ["training loss", "share of right answers"]
    assert part.count('<path class="plain c0') == 1 + 3 + 3
    assert "% right answers without it" in part
    assert "<figure" not in trials_part(treatments.lost())


def test_each_measure_has_a_table_of_its_own() -> None:
    part = trials_part(treatments.mixed())
    assert re.findall(r"<caption>(.*?)</caption>", part) == [
        "Compared by training loss, lower is better",
        "Compared by steps per second, higher is better",
    ]


def test_a_treatment_that_proves_nothing_says_so() -> None:
    assert "<b>No proven win:</b> none of the 2 changes" in trials_part(treatments.lost())
    assert trials_part(Treatment((), None)) == ""


def test_the_page_of_a_report_holds_the_trials_of_its_first_run() -> None:
    hot, cool = canonical.demo_runs()
    diagnoses = (canonical.sick(), canonical.healthy())
    page = html.render(Report((hot, cool), diagnoses=diagnoses, treatment=treatments.won()))
    first, _, second = page.partition('<div id="run-2">')
    assert "What was tried" in first
    assert "What was tried" not in second
    assert "What was tried" not in html.render(Report((hot,), diagnoses=diagnoses[:1]))


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=60))
def test_no_name_becomes_markup(name: str) -> None:
    odd = f"<script>{name}"
    trial = Trial((ChangeSpec(odd),), odd, odd, Measure.LOSS, (), None, None, Outcome.INCONCLUSIVE, odd)
    part = trials_part(Treatment((trial,), trial, odd, odd, None, (), (odd,)))
    assert "<script" not in part
    assert part.count("<tr>") == 2
