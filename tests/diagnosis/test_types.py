"""Where a suspect is to be found: its line, its layer, its batch."""

from dataclasses import replace

from tests.report.formats import canonical
from traindx.diagnosis.types import Reason
from traindx.facts import GRADIENTS_CLEARED, NONFINITE_SOURCE
from traindx.finding import Evidence
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS
from traindx.report.results.evidence import place, since, where, whereabouts

STATED = Evidence(GRADIENTS_CLEARED, (1.0, 60.0), 0.0, location="train.py:31")
HAPPENED = Evidence(NONFINITE_SOURCE, (31.0, 31.0), "input", layer="fc1", batch=31, location="train.py:12")
GREW = Evidence(GRADIENT_NORM, (14.0, 20.0), 31.0, 10.0, layer="fc2.weight")
ROSE = Evidence(TRAIN_LOSS, (7.0, 60.0), 3.0)
TOP = canonical.sick().suspects[0]


def reason(points: float, *evidence: Evidence) -> Reason:
    return Reason("because", points, canonical.DIVERGES, True, evidence)


def test_the_weightiest_evidence_that_names_a_place_does() -> None:
    suspect = replace(TOP, reasons=(reason(1.0, HAPPENED), reason(5.0, GREW), reason(3.0, STATED)))
    assert suspect.place == "train.py:31"
    assert suspect.layer == "fc2.weight"
    assert suspect.batch == 31
    assert whereabouts(suspect) == ["layer fc2.weight", "batch 31", "train.py:31"]


def test_without_such_evidence_the_line_to_change_is_the_place() -> None:
    suspect = replace(TOP, reasons=(reason(5.0, ROSE),), line="train.py:9")
    assert (suspect.place, suspect.layer, suspect.batch) == ("train.py:9", "", None)
    assert whereabouts(suspect) == ["train.py:9"]
    assert whereabouts(replace(suspect, line="")) == []


def test_what_speaks_against_a_suspect_says_nothing_of_where_it_is() -> None:
    against = replace(TOP, reasons=(reason(-2.0, HAPPENED), Reason("not so", 1.0, None, False, (STATED,))))
    assert against.evidence == ()
    assert (against.place, against.layer, against.batch) == ("", "", None)


def test_names_of_the_program_are_printable_and_short() -> None:
    odd = replace(GREW, layer="fc\x1b[31m" + "c" * 200, location="train\n.py:3")
    for name in whereabouts(replace(TOP, reasons=(reason(5.0, odd),))):
        assert name.isprintable()
        assert len(name) < 90


def test_a_fact_of_the_whole_run_is_not_since_its_first_step() -> None:
    """Beside a curve that turns at a step, a fact would always be the earliest."""
    curve_first = since(replace(TOP, reasons=(reason(5.0, GREW), reason(3.0, STATED, ROSE))))
    fact_first = since(replace(TOP, reasons=(reason(5.0, STATED), reason(3.0, ROSE, HAPPENED))))
    assert curve_first == ROSE
    assert fact_first == STATED


def test_a_place_is_a_line_a_stretch_or_all_of_the_run() -> None:
    assert place(STATED) == "train.py:31"
    assert place(replace(STATED, location="")) == "whole run"
    assert place(HAPPENED) == "step 31"
    assert place(GREW) == "steps 14-20"
    assert where(reason(1.0, STATED)) == "train.py:31"
    assert where(reason(1.0, GREW)) == "layer fc2.weight, steps 14-20"
    assert where(reason(1.0)) == ""
