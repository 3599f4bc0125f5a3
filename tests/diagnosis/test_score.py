"""How answers become points, and which causes can be judged by them."""

from dataclasses import replace

import numpy as np
import pytest

from tests.report.renderers import canonical
from traindx.cause import Clue
from traindx.diagnosis.score import belief, can_be_judged, reasons
from traindx.diagnosis.types import total
from traindx.finding import Answer, CannotTell, Finding

YES = Finding(0.5, "so it is", (canonical.evidence((1, 2), 3.0),))
HEAVY = Clue(canonical.DIVERGES, seen=4.0, unseen=-2.0)
LIGHT = Clue(canonical.GROWS, seen=1.0, unseen=-0.5)
CAUSE = replace(canonical.TOO_HIGH, clues=(HEAVY, LIGHT))


def test_a_yes_counts_by_its_strength_and_a_no_by_its_own_points() -> None:
    found = reasons(-3.0, CAUSE.clues, {"loss_diverges": YES, "gradient_norm_grows": None})
    assert [reason.points for reason in found] == [-3.0, 2.0, -0.5]
    assert total(found) == -1.5
    assert found[2].says == "looked for and not seen: the gradient norm grows over the run"


def test_what_cannot_be_told_and_was_not_asked_counts_neither_way() -> None:
    for answers in (
        {},
        {"loss_diverges": CannotTell.TOO_LITTLE, "gradient_norm_grows": CannotTell.NOT_RECORDED},
    ):
        assert [reason.points for reason in reasons(-3.0, CAUSE.clues, answers)] == [-3.0]


def test_of_a_group_the_weightiest_counts() -> None:
    clues = (replace(HEAVY, group="climbs"), replace(LIGHT, group="climbs"))
    answers: dict[str, Answer] = {"loss_diverges": YES, "gradient_norm_grows": YES}
    assert total(reasons(0.0, clues, answers)) == 2.0


@pytest.mark.parametrize(
    ("answers", "judged"),
    [
        ({}, False),
        ({"loss_diverges": CannotTell.NOT_RECORDED}, False),
        ({"loss_diverges": None}, True),
        ({"loss_diverges": YES}, True),
        # A clue worth a quarter of the weightiest decides nothing, whatever it says.
        ({"gradient_norm_grows": YES}, False),
    ],
)
def test_a_cause_is_judged_by_the_clues_that_could_decide(answers: dict[str, Answer], judged: bool) -> None:
    assert can_be_judged(CAUSE, answers) is judged


def test_belief_adds_up_to_one_whatever_the_scores() -> None:
    shares = belief(np.array([1000.0, 999.0, -1000.0]))
    assert shares.sum() == pytest.approx(1)
    assert shares[0] / shares[1] == pytest.approx(np.e)
