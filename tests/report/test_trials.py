"""What trials show, in words."""

import math
from dataclasses import replace

import pytest

from tests import treatments as made
from traindx.report.results.trials import (
    belief_lines,
    better_with,
    conclusion,
    effect,
    health_line,
    left_untried,
    named,
    patch_line,
    ranked,
    row,
    set_aside,
    share_of_control,
    signed,
    verdict,
    why_left,
)
from traindx.trials.types import Outcome, Treatment, Trial


@pytest.mark.parametrize(
    ("trial", "effect_said", "verdict_said"),
    [
        (made.LOWER, "-2.07 [-2.21, -1.93]", "helped, 3 of 3 seeds"),
        (made.CLIP, "-0.03", "no difference, 1 seed"),
        (made.WARMUP, "+0.517 [+0.31, +0.72]", "worse, 3 of 3 seeds"),
        (made.REFUSED, "-", "not applicable: the model has no softmax"),
        (made.HOPEFUL, "-0.41", "better in one run, not proven"),
        (made.SAVED, "no more NaN", "helped, 2 of 2 seeds"),
        (made.FASTER, "+44.2 [+28.4, +60.1]", "helped, 2 of 2 seeds"),
    ],
)
def test_a_trial_is_told_by_its_effect_and_its_verdict(
    trial: Trial, effect_said: str, verdict_said: str
) -> None:
    assert effect(trial) == effect_said
    assert verdict(trial) == verdict_said


def test_arms_that_break_are_told_on_their_side() -> None:
    def tried(*values: tuple[float, float]) -> Trial:
        return made.trial("loss.stabilize", values, Outcome.INCONCLUSIVE)

    assert effect(tried((1.0, math.inf), (1.0, math.inf))) == "NaN with it"
    assert effect(tried((math.inf, math.inf))) == "NaN in both"
    some = tried((1.0, 1.0), (math.inf, 1.0), (1.0, math.inf))
    cells = row(some)
    assert (cells.control, cells.treated, cells.effect) == ("NaN 1 of 3", "NaN 1 of 3", "-")
    assert better_with(some) == 1


def test_the_figures_are_those_of_the_pairs_that_count() -> None:
    cells = row(made.STALLED)
    assert (cells.control, cells.treated, cells.effect) == ("2.31", "2", "-0.31")
    assert row(made.REFUSED).control == "2.31"


@pytest.mark.parametrize(
    ("treatment", "says"),
    [
        (made.won(), "Divide the learning rate by 100 (lr / 100)"),
        (made.lost(), "none of 2 fixes helped"),
        (Treatment((), None), "no fix was tried"),
        (Treatment((made.CLIP,), None), "the fix did not help"),
        (Treatment((made.REFUSED,), None), "no fix applies to this program"),
        (
            Treatment((made.CLIP, made.HOPEFUL, made.STALLED), None),
            "relu -> leaky_relu, better in one run, not proven",
        ),
        (
            Treatment((made.trial("optimizer.lr x 2", [(1.0, None)], Outcome.INCONCLUSIVE),), None),
            "1 trial, not conclusive",
        ),
    ],
)
def test_the_conclusion_is_honest(treatment: Treatment, says: str) -> None:
    assert conclusion(treatment) == says


def test_a_change_is_not_named_twice() -> None:
    for title in ("", "lr x 2", "Raise it (lr x 2)"):
        trial = made.trial("optimizer.lr x 2", [(1.0, 1.0)], Outcome.HELPED, title=title)
        assert named(trial) == (title or "lr x 2")


def test_arms_are_set_aside_with_their_reason_once() -> None:
    sentences = ["optimizer.use adam, seed 1: stalled after 12 steps"]
    assert set_aside(made.won()) == sentences
    assert set_aside(Treatment((made.STALLED, made.STALLED), None)) == sentences


def test_what_was_left_is_told_with_what_is_known_of_it() -> None:
    assert left_untried(made.won()) == [
        "optimizer.momentum 0.5: Lower the momentum; helped in 0 of 2 past trials of this project"
    ]


def test_a_search_that_ended_early_says_why() -> None:
    ended = replace(made.won(), why_untried="the first one was enough")
    assert why_left(ended) == ["the first one was enough"]
    assert why_left(replace(ended, untried=())) == []


def test_one_arm_that_ran_away_does_not_hide_what_the_others_show() -> None:
    away = [(2.0, 0.2), (4e6, 0.3), (1.9, 0.25)]
    trial = made.trial("optimizer.lr x 0.1", away, Outcome.HELPED, effect=-1.3e6, interval=(-7e6, 4e6))
    assert effect(trial) == "-92.3% [-100, -75.2]"


def test_the_health_of_the_treated_run_is_told() -> None:
    best = replace(made.LOWER, healthy_after=0.93)
    assert health_line(Treatment((best,), best)) == "re-diagnosed after the fix: healthy (93%)"
    assert "not healthy yet (20% healthy)" in health_line(
        Treatment((best,), replace(best, healthy_after=0.2), patch_verified=True)
    )
    # A change at run time alone: the recorder sees the mistake below it.
    assert health_line(Treatment((best,), replace(best, healthy_after=0.2))) == ""
    assert health_line(made.lost()) == health_line(made.won()) == ""


def test_the_patch_is_told_as_far_as_it_is_known() -> None:
    assert patch_line(made.won()) == (
        "train.py:31 lr=3.0 -> lr=0.03 · verified: the patched program reproduces the effect"
    )
    assert patch_line(made.mixed()) == "not verified: the patched program was not run"
    assert "does not reproduce" in patch_line(made.hostile())
    assert patch_line(made.lost()) == ""
    assert patch_line(Treatment((made.LOWER,), made.LOWER)) == "no source patch"


def test_confidences_are_told_the_likeliest_first() -> None:
    lines = belief_lines([("a", 0.6, 0.1), ("b", 0.3, 0.8)])
    assert lines == ["b 30% -> 80%", "a 60% -> 10%"]


def test_the_best_stands_first_whatever_it_is_compared_by() -> None:
    worse = made.trial("optimizer.lr x 9", [(1.0, math.inf)] * 2, Outcome.WORSE)
    trials = [worse, made.REFUSED, made.WARMUP, made.CLIP, made.FASTER, made.LOWER, made.SAVED]
    assert ranked(trials) == [
        made.SAVED,
        made.FASTER,
        made.LOWER,
        made.CLIP,
        made.WARMUP,
        made.REFUSED,
        worse,
    ]


def test_effects_are_told_as_shares_of_the_control() -> None:
    shares = share_of_control(made.LOWER)
    assert shares is not None
    assert shares[0] == pytest.approx(-2.07 / 2.31)
    assert share_of_control(made.SAVED) is share_of_control(made.REFUSED) is None
    zero = made.trial("optimizer.lr x 2", [(0.0, 1.0)], Outcome.WORSE, effect=1.0)
    assert share_of_control(zero) is None


def test_differences_keep_their_sign() -> None:
    assert [signed(value) for value in (0.0, 1.23456, -0.5, math.inf)] == ["0", "+1.23", "-0.5", "NaN"]
