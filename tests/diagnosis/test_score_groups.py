"""From answers to shares: lines add up to what is compared."""

from math import exp

import pytest

from tests.report.renderers import canonical
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import sureness
from traindx.diagnosis.score import believe
from traindx.diagnosis.types import total
from traindx.finding import Answer, Finding

YES = Finding(1.0, "so it is", (canonical.evidence((1, 2), 3.0),))
ANSWERS: dict[str, Answer] = {"loss_diverges": YES, "loss_falls": None, "updates_large": YES}


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
