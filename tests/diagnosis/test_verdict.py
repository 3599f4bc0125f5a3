"""When one suspect is the headline, and what keeps a run from being called healthy."""

from dataclasses import replace

from tests.report.formats import canonical
from traindx.diagnosis.types import Reason, SignResult, Suspect, Verdict
from traindx.diagnosis.verdict import leads, verdict_of
from traindx.facts import SHUFFLE
from traindx.finding import Evidence, Finding
from traindx.objective import CLASSIFICATION, CONTRASTIVE
from traindx.quantities import TRAIN_LOSS
from traindx.signs.data import batches_sorted
from traindx.signs.loss import loss_diverges, loss_falls

FIRST, SECOND = canonical.sick().suspects[:2]
SEEN = Evidence(TRAIN_LOSS, (7.0, 60.0), 3.0)
READ = Evidence(SHUFFLE, (0.0, 60.0), 0.0, location="train.py:9")
SORTED = SignResult(batches_sorted, Finding(1.0, "labels are sorted", (SEEN, READ)))
"""Read from the program: certain, unlike a curve."""
FALLS = SignResult(loss_falls, Finding(1.0, "loss fell", (SEEN,)))


def suspect(by: SignResult, one: Suspect, confidence: float) -> Suspect:
    assert by.finding is not None
    because = Reason(by.finding.says, 2.0, by.sign, True, by.finding.evidence)
    return replace(one, confidence=confidence, reasons=(because,))


def test_a_curve_does_not_lead_over_a_fact_that_supports_a_likely_rival() -> None:
    first, rival = suspect(FALLS, FIRST, 0.5), suspect(SORTED, SECOND, 0.35)
    assert not leads((first, rival), (SORTED, FALLS))
    assert leads((first, replace(rival, confidence=0.2)), (SORTED, FALLS))
    assert leads((first, suspect(FALLS, SECOND, 0.35)), (SORTED, FALLS))
    assert leads((suspect(SORTED, FIRST, 0.5), rival), (SORTED, FALLS))


def test_a_cause_that_is_unlikely_or_has_a_close_rival_does_not_lead() -> None:
    asked = (SORTED, FALLS)
    assert not leads((), asked)
    assert not leads((suspect(SORTED, FIRST, 0.29),), asked)
    assert not leads((suspect(SORTED, FIRST, 0.5), suspect(FALLS, SECOND, 0.46)), asked)


def test_a_harmful_fact_keeps_a_run_from_being_called_healthy() -> None:
    asked = (SORTED, FALLS)
    assert verdict_of(0.8, (suspect(SORTED, FIRST, 0.15),), asked, CLASSIFICATION) is Verdict.INCONCLUSIVE
    assert verdict_of(0.8, (suspect(SORTED, FIRST, 0.05),), asked, CLASSIFICATION) is Verdict.HEALTHY
    assert verdict_of(0.8, (suspect(FALLS, FIRST, 0.15),), asked, CLASSIFICATION) is Verdict.HEALTHY


def test_health_that_is_likelier_than_any_cause_is_not_called_sick_unless_something_broke() -> None:
    broke = SignResult(loss_diverges, Finding(1.0, "the loss diverged", (SEEN,)))
    suspects = (suspect(FALLS, FIRST, 0.34),)
    assert verdict_of(0.39, suspects, (FALLS,), CLASSIFICATION) is Verdict.INCONCLUSIVE
    assert verdict_of(0.33, suspects, (FALLS,), CLASSIFICATION) is Verdict.SICK
    assert verdict_of(0.39, suspects, (FALLS, broke), CLASSIFICATION) is Verdict.SICK
    # Many small suspects, of which none is likely, are still likelier than health together.
    assert verdict_of(0.25, (suspect(FALLS, FIRST, 0.2),), (FALLS,), CLASSIFICATION) is Verdict.SICK


def test_a_kind_that_is_not_judged_is_sick_of_a_cause_that_is_sure() -> None:
    suspects = (suspect(FALLS, FIRST, 0.6),)
    assert verdict_of(0.02, suspects, (FALLS,), CONTRASTIVE) is Verdict.SICK
    assert verdict_of(0.2, suspects, (FALLS,), CONTRASTIVE) is Verdict.INCONCLUSIVE
    assert verdict_of(0.02, (suspect(FALLS, FIRST, 0.4),), (FALLS,), CONTRASTIVE) is Verdict.INCONCLUSIVE
    assert verdict_of(0.9, (), (FALLS,), CONTRASTIVE) is Verdict.INCONCLUSIVE
