"""Roots take over the belief in the mechanisms they explain, and points still add up."""

import math
from dataclasses import replace

import pytest

from tests.report.formats import canonical
from traindx.cause import Cause, Kind
from traindx.diagnosis.score import is_seen_how, with_roots
from traindx.diagnosis.types import Reason, total
from traindx.finding import Sign

HOW = canonical.EXPLODING
ROOT = replace(canonical.TOO_HIGH, acts_through=(HOW.slug,))
OTHER = replace(canonical.WARMUP, acts_through=(HOW.slug,))
APART = canonical.TOO_LOW


def lines(prior: float, *found: tuple[Sign, float]) -> tuple[Reason, ...]:
    seen = [Reason(sign.asks, points, sign, points > 0) for sign, points in found]
    return (Reason("prior log-odds", prior), *seen)


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
