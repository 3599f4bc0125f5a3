"""From answers to shares: fitted points are the causes' own clues, and lines add up to what is compared."""

from dataclasses import replace
from math import exp

import pytest

from tests.report.renderers import canonical
from traindx.cause import Cause
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH, clues_of, fitted, prior_of, sureness
from traindx.diagnosis.health import HEALTHY_CLUES, HEALTHY_PRIOR
from traindx.diagnosis.score import believe
from traindx.diagnosis.types import total
from traindx.finding import Answer, Finding

YES = Finding(1.0, "so it is", (canonical.evidence((1, 2), 3.0),))
ANSWERS: dict[str, Answer] = {"loss_diverges": YES, "loss_falls": None, "updates_large": YES}


@pytest.mark.parametrize("cause", knowledge.set_by_hand(), ids=lambda cause: cause.slug)
def test_what_speaks_for_a_cause_still_does_after_the_fit(cause: Cause) -> None:
    now = fitted(cause)
    assert [clue.sign for clue in now.clues] == [clue.sign for clue in cause.clues]
    for clue, before in zip(now.clues, cause.clues, strict=True):
        assert clue.seen * before.seen > 0 or clue.seen == before.seen == 0
        assert clue.unseen * before.unseen > 0 or clue.unseen == before.unseen == 0


def test_what_speaks_for_health_still_does_after_the_fit() -> None:
    for clue, before in zip(clues_of(HEALTH, HEALTHY_CLUES), HEALTHY_CLUES, strict=True):
        assert clue.seen * before.seen > 0
    assert isinstance(prior_of(HEALTH, HEALTHY_PRIOR), float)


def test_a_cause_of_another_package_keeps_its_own_points() -> None:
    foreign = replace(canonical.TOO_HIGH, slug="of-another-package")
    assert fitted(foreign).clues == foreign.clues
    assert fitted(foreign).prior == foreign.prior


@pytest.mark.parametrize("factor", [1.0, 0.6])
def test_lines_add_up_to_what_is_compared(factor: float) -> None:
    found = believe(ANSWERS, knowledge.causes(), factor)
    shares = [found.healthy, *found.shares.values()]
    assert sum(shares) == pytest.approx(1)
    judged = {cause: share for cause, share in found.shares.items() if share}
    first, second = sorted(judged, key=lambda cause: -judged[cause])[:2]
    apart = total(found.reasons[first]) - total(found.reasons[second])
    assert judged[first] / judged[second] == pytest.approx(exp(apart))


def test_less_sureness_makes_shares_more_even() -> None:
    sure, unsure = (max(believe(ANSWERS, knowledge.causes(), one).shares.values()) for one in (1.0, 0.5))
    assert unsure < sure


def test_recordings_and_logs_have_a_sureness_each() -> None:
    assert 0 < sureness(inside=False) <= 2
    assert 0 < sureness(inside=True) <= 2
