"""How sure a page says it is, and of what."""

import re
from dataclasses import replace

import numpy as np

from tests.report.renderers import canonical
from traindx.diagnosis.types import Diagnosis
from traindx.quantities import LEARNING_RATE
from traindx.report.renderers import html
from traindx.run import Run, Series
from traindx.trials.types import Report


def page(diagnosis: Diagnosis, run: Run) -> str:
    return plain(Report((run,), diagnoses=(diagnosis,)))


def plain(report: Report) -> str:
    """A page without its scripts and styles, and with ordinary blanks."""
    whole = html.render(report).replace("\xa0", " ")
    return re.sub(r"(?s)<(script|style)\b.*?</\1>", "", whole)


def test_the_verdict_and_the_cause_each_have_their_own_probability() -> None:
    shown = page(canonical.sick(), canonical.demo_runs()[0])
    assert "<b>98 %</b> that the run is sick · <b>87 %</b> that this is the cause" in shown
    overview = plain(canonical.report()).partition('class="overview"')[2].partition("</table>")[0]
    assert re.search(r"Sick</span> 98 %</td>", overview)
    assert "Learning rate too high (cause 87 %)" in overview
    assert re.search(r"Healthy</span> 93 %</td>", overview)


def test_a_run_too_short_to_judge_has_no_probability_of_health() -> None:
    shown = page(canonical.inconclusive(), canonical.short_run())
    assert "46 %" not in shown
    assert "healthy</th>" not in shown
    assert "healthy</th>" in page(canonical.sick(), canonical.demo_runs()[0])


def test_only_what_something_speaks_against_is_ruled_out() -> None:
    unheard = canonical.suspect(canonical.VANISHING, 0.003, (canonical.PRIOR,))
    diagnosis = canonical.sick()
    shown = page(replace(diagnosis, ruled_out=(diagnosis.ruled_out[0], unheard)), canonical.demo_runs()[0])
    assert "1 cause ruled out" in shown
    assert "Not judged: 1 more cause: the log says too little about it." in shown


def test_the_verdict_ends_with_a_full_stop() -> None:
    bare = replace(canonical.healthy(), says="the training loss falls")
    assert "The training loss falls.</p>" in page(bare, canonical.demo_runs()[1])


def test_a_constant_has_one_value_at_its_axis() -> None:
    rate = Series(LEARNING_RATE, np.arange(50.0), np.full(50, 0.3), name="lr")
    run = replace(canonical.nan_run(), series=(*canonical.nan_run().series, rate))
    scales = re.findall(r'<div class="scale">(.*?)</div>', page(canonical.sick(), run))
    assert "<span></span><span>0.3</span><span></span>" in scales
