"""How answers become points, which causes can be judged by them, and how roots take over from mechanisms."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from tests.report.formats import canonical
from traindx.cause import Cause, Clue, Kind
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH_BY_SEVERITY
from traindx.diagnosis.score import (
    MOST_TOLD,
    RULED_OUT,
    can_be_judged,
    is_seen_how,
    reasons,
    score,
    softmax,
    with_roots,
)
from traindx.diagnosis.types import Reason, SignResult, total
from traindx.finding import Answer, CannotTell, Finding, Severity, Sign
from traindx.signs.loss import loss_diverges, loss_falls
from traindx.signs.weights import updates_large

YES = Finding(0.5, "so it is", (canonical.evidence((1, 2), 3.0),))
HEAVY = Clue(canonical.DIVERGES, seen=4.0, unseen=-2.0)
LIGHT = Clue(canonical.GROWS, seen=1.0, unseen=-0.5)
CAUSE = replace(canonical.TOO_HIGH, clues=(HEAVY, LIGHT))
SIGNS = {clue.sign.slug: clue.sign for clue in CAUSE.clues}

DIVERGING = [
    SignResult(loss_diverges, YES),
    SignResult(updates_large, YES),
    SignResult(loss_falls, None),
]


def _asked(answers: Mapping[str, Answer], weight: float = 1.0) -> dict[str, SignResult]:
    known = {slug: SignResult(SIGNS[slug], answer, weight) for slug, answer in answers.items()}
    return {slug: result for slug, result in known.items() if not result.cannot_tell}


def test_a_yes_counts_by_its_strength_and_a_no_by_its_own_points() -> None:
    scored = reasons(-3.0, CAUSE.clues, _asked({"loss_diverges": YES, "gradient_norm_grows": None}))
    assert [reason.points for reason in scored] == [-3.0, 2.0, -0.5]
    assert total(scored) == -1.5
    assert scored[2].says == "not found: the gradient norm grows over the run"


def test_what_cannot_be_told_and_was_not_asked_counts_neither_way() -> None:
    for answers in (
        {},
        {"loss_diverges": CannotTell.TOO_LITTLE, "gradient_norm_grows": CannotTell.NOT_RECORDED},
    ):
        assert [reason.points for reason in reasons(-3.0, CAUSE.clues, _asked(answers))] == [-3.0]


def test_of_a_group_the_weightiest_counts() -> None:
    clues = (replace(HEAVY, group="climbs"), replace(LIGHT, group="climbs"))
    answers: dict[str, Answer] = {"loss_diverges": YES, "gradient_norm_grows": YES}
    assert total(reasons(0.0, clues, _asked(answers))) == 2.0


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
    assert can_be_judged(CAUSE, _asked(answers)) is judged


def test_belief_adds_up_to_one_whatever_the_scores() -> None:
    shares = softmax(np.array([1000.0, 999.0, -1000.0]))
    assert shares.sum() == pytest.approx(1)
    assert shares[0] / shares[1] == pytest.approx(np.e)


def test_what_is_told_counts_less_and_never_more_than_a_person_can_know() -> None:
    spoken = reasons(0.0, CAUSE.clues, _asked({"loss_diverges": YES, "gradient_norm_grows": None}, 0.6))
    assert [reason.points for reason in spoken] == pytest.approx([0.0, 1.2, -0.3])
    assert spoken[2].says == "you rule out: the gradient norm grows over the run"
    sure = (replace(HEAVY, seen=20.0),)
    assert total(reasons(0.0, sure, _asked({"loss_diverges": YES}, 0.6))) == MOST_TOLD


def test_a_person_who_rules_out_what_would_nearly_decide_speaks_against_it() -> None:
    clue = replace(HEAVY, seen=5.0, unseen=0.0)
    assert total(reasons(0.0, (clue,), _asked({"loss_diverges": None}))) == 0.0
    assert total(reasons(0.0, (clue,), _asked({"loss_diverges": None}, 0.6))) == pytest.approx(
        -RULED_OUT * 5.0 * 0.6
    )


def test_who_denies_one_fault_of_a_group_does_not_deny_another_that_is_seen() -> None:
    clues = (replace(LIGHT, group="climbs"), replace(HEAVY, group="climbs"))
    asked = _asked({"gradient_norm_grows": YES}) | _asked({"loss_diverges": None}, 0.6)
    assert [reason.points for reason in reasons(0.0, clues, asked)] == [0.0, 0.5]


@pytest.mark.parametrize("own", [None, 0.8, 0.0])
def test_a_sign_counts_for_health_by_its_severity_or_as_it_declares(own: float | None) -> None:
    sign = replace(canonical.DIVERGES, severity=Severity.CRITICAL, healthy=own)
    expected = HEALTH_BY_SEVERITY[Severity.CRITICAL] if own is None else own
    assert total(score([SignResult(sign, YES)], []).healthy) == pytest.approx(YES.strength * expected)


def test_only_causes_that_were_looked_for_or_are_suspected_compete() -> None:
    assert score([], [CAUSE]).shares == {"healthy": 1.0}
    assert set(score([], [CAUSE], suspected={CAUSE.slug}).shares) == {"healthy", CAUSE.slug}


@pytest.mark.parametrize("temperature", [1.0, 1.6])
def test_lines_add_up_to_what_is_compared(temperature: float) -> None:
    scored = score(DIVERGING, knowledge.causes(), temperature)
    assert sum(scored.shares.values()) == pytest.approx(1)
    first, second = sorted(scored.competing, key=lambda cause: -scored.shares[cause.slug])[:2]
    apart = total(scored.reasons[first]) - total(scored.reasons[second])
    assert scored.shares[first.slug] / scored.shares[second.slug] == pytest.approx(np.exp(apart))


def test_a_higher_temperature_makes_shares_more_even() -> None:
    cold, warm = (
        max(score(DIVERGING, knowledge.causes(), temperature).shares.values()) for temperature in (1.0, 2.0)
    )
    assert warm < cold


HOW = canonical.EXPLODING
ROOT = replace(canonical.TOO_HIGH, acts_through=(HOW.slug,))
OTHER = replace(canonical.WARMUP, acts_through=(HOW.slug,))
APART = canonical.TOO_LOW


def lines(prior: float, *found: tuple[Sign, float]) -> tuple[Reason, ...]:
    listed = [Reason(sign.asks, points, sign, points > 0) for sign, points in found]
    return (Reason("prior log-odds", prior), *listed)


MECHANISM = lines(-3, (canonical.GROWS, 6.0))
SPEAKING = lines(-3, (canonical.DIVERGES, 3.0))


def mass(found: dict[Cause, tuple[Reason, ...]]) -> float:
    return sum(math.exp(total(reasons)) for reasons in found.values())


def test_a_root_takes_belief_from_its_mechanism_and_none_is_lost() -> None:
    before = {HOW: MECHANISM, ROOT: SPEAKING, APART: SPEAKING}
    after = with_roots(before)
    assert total(after[ROOT]) > total(before[ROOT])
    assert total(after[HOW]) < total(before[HOW])
    assert total(after[ROOT]) > total(after[HOW])
    assert mass(after) == pytest.approx(mass(before))
    assert after[APART] == before[APART]


def test_what_is_taken_over_is_a_reason_like_any_other() -> None:
    after = with_roots({HOW: MECHANISM, ROOT: SPEAKING})
    assert after[ROOT][:-1] == SPEAKING
    assert after[ROOT][-1].says == "it explains exploding-gradients, which is found too"
    assert after[ROOT][-1].points > 0
    assert after[HOW][-1].says == "it is a consequence of lr-too-high"
    assert after[HOW][-1].points < 0
    assert not after[HOW][-1].seen


def test_roots_share_by_what_speaks_for_them() -> None:
    before = {HOW: MECHANISM, ROOT: SPEAKING, OTHER: lines(-3, (canonical.DIVERGES, 2.0))}
    after = with_roots(before)
    assert "lr-too-high, missing-warmup" in after[HOW][-1].says
    assert total(after[ROOT]) - total(after[OTHER]) == pytest.approx(1.0)
    assert mass(after) == pytest.approx(mass(before))


@pytest.mark.parametrize(
    ("how", "root"),
    [
        # The mechanism is only feared.
        (lines(-3, (canonical.GROWS, -1.0)), SPEAKING),
        # What speaks for the root is what speaks for the mechanism.
        (MECHANISM, lines(-3, (canonical.GROWS, 3.0))),
        # Next to nothing speaks for the root.
        (MECHANISM, lines(-3, (canonical.DIVERGES, 0.5))),
        # The root is well ahead without help.
        (MECHANISM, lines(-3, (canonical.DIVERGES, 12.0))),
    ],
)
def test_a_mechanism_is_left_alone(how: tuple[Reason, ...], root: tuple[Reason, ...]) -> None:
    before = {HOW: how, ROOT: root}
    assert with_roots(before) == before


def test_a_root_that_acts_otherwise_explains_nothing() -> None:
    before = {HOW: MECHANISM, replace(ROOT, acts_through=("dead-relu",)): SPEAKING}
    assert with_roots(before) == before


def test_a_root_far_behind_takes_little_and_one_close_by_most() -> None:
    def taken(points: float) -> float:
        after = with_roots({HOW: MECHANISM, ROOT: lines(-9, (canonical.DIVERGES, points))})
        return -after[HOW][-1].points

    assert taken(2.0) < 0.01 < 1.0 < taken(11.0) < -math.log(1 - 0.8)


def test_only_a_mechanism_that_was_clearly_seen_is_one_at_work() -> None:
    assert is_seen_how(HOW, MECHANISM)
    assert not is_seen_how(HOW, lines(-3, (canonical.GROWS, 1.0)))
    assert not is_seen_how(replace(HOW, kind=Kind.WHY), MECHANISM)
