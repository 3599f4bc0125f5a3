"""What pairs of arms say of a change."""

import math
from dataclasses import replace

import numpy as np
import pytest

from traindx.changes.types import Measure, parse_change
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run, Series
from traindx.trials.effect import effect_of, gain
from traindx.trials.measurement import untrained
from traindx.trials.types import Arm, Outcome, Pair

CHANGE = parse_change("optimizer.lr x 0.1")


def pair(control: float | None, treated: float | None, seed: int = 0) -> Pair:
    return Pair(Arm(seed, (), "c", control), Arm(seed, (CHANGE,), "t", treated))


@pytest.mark.parametrize(
    ("pairs", "outcome"),
    [
        ([(2.0, 0.2), (2.1, 0.3), (1.9, 0.25)], Outcome.HELPED),
        ([(0.2, 2.0), (0.3, 2.1), (0.25, 1.9)], Outcome.WORSE),
        ([(2.0, 1.99), (2.1, 2.08), (1.9, 1.91)], Outcome.NO_DIFFERENCE),
        # Better on average, but the seeds do not agree.
        ([(2.0, 0.2), (2.1, 2.3), (1.9, 1.5)], Outcome.INCONCLUSIVE),
        # One seed proves nothing.
        ([(2.0, 0.2)], Outcome.INCONCLUSIVE),
        ([(math.inf, 0.2), (math.inf, 0.3)], Outcome.HELPED),
        ([(math.inf, 0.2)], Outcome.INCONCLUSIVE),
        ([(0.2, math.inf), (0.3, math.inf)], Outcome.WORSE),
        ([(math.inf, math.inf), (math.inf, math.inf)], Outcome.NO_DIFFERENCE),
        # Better with every seed, whether the other arm ends in a number or not.
        ([(math.inf, 0.2), (1.0, 0.2), (1.0, 0.3)], Outcome.HELPED),
        ([(1.0, 0.2), (1.0, math.inf), (1.0, 0.3)], Outcome.INCONCLUSIVE),
        # One control that ran away does not hide that all are better.
        ([(2.0, 0.2), (4e6, 0.3), (1.9, 0.25)], Outcome.HELPED),
        ([(None, 0.2)], Outcome.INCONCLUSIVE),
    ],
)
def test_the_outcome_follows_from_the_pairs(
    pairs: list[tuple[float | None, float | None]], outcome: Outcome
) -> None:
    assert effect_of([pair(*each) for each in pairs], Measure.LOSS).outcome is outcome


def test_the_interval_is_that_of_paired_differences() -> None:
    effect = effect_of([pair(3.0, 1.0), pair(4.0, 1.0), pair(5.0, 1.0)], Measure.LOSS)
    assert effect.mean == pytest.approx(-3.0)
    assert effect.interval == pytest.approx((-3 - 4.303 / math.sqrt(3), -3 + 4.303 / math.sqrt(3)), rel=1e-3)


def test_the_interval_of_many_pairs_is_students() -> None:
    effect = effect_of([pair(3.0 + 0.1 * index, 1.0) for index in range(11)], Measure.LOSS)
    assert effect.interval is not None
    # 2.2281 for ten degrees of freedom; of the normal distribution it would be 1.96.
    deviation = math.sqrt(sum((0.1 * (index - 5)) ** 2 for index in range(11)) / 10)
    wide = 2.2281 * deviation / math.sqrt(11)
    assert effect.interval == pytest.approx((-2.5 - wide, -2.5 + wide), rel=2e-3)


def test_more_is_better_where_speed_is_measured() -> None:
    pairs = [pair(10.0, 30.0), pair(11.0, 31.0), pair(9.0, 28.0)]
    assert effect_of(pairs, Measure.SPEED).outcome is Outcome.HELPED
    assert effect_of(pairs, Measure.LOSS).outcome is Outcome.WORSE
    assert gain(pairs, Measure.SPEED) > 0.5 > 0 > gain(pairs, Measure.LOSS)


def test_a_hundredth_of_wrong_answers_is_no_difference() -> None:
    pairs = [pair(0.020, 0.015), pair(0.021, 0.016), pair(0.019, 0.014)]
    assert effect_of(pairs, Measure.ERROR).outcome is Outcome.NO_DIFFERENCE
    assert effect_of(pairs, Measure.LOSS).outcome is Outcome.HELPED


def test_losses_that_are_nothing_against_where_they_began_do_not_differ() -> None:
    def learned(value: float) -> Arm:
        return Arm(0, (), "c", value, curve=((0.0, 2.3), (1.0, 2.2), (2.0, value)))

    small = [Pair(learned(0.004), learned(0.002)) for _ in range(3)]
    assert effect_of(small, Measure.LOSS).outcome is Outcome.NO_DIFFERENCE
    large = [Pair(learned(0.4), learned(0.2)) for _ in range(3)]
    assert effect_of(large, Measure.LOSS).outcome is Outcome.HELPED


def test_what_was_set_aside_is_said() -> None:
    stalled = Pair(Arm(0, (), "c", None, problem="did not end within 60 s"), Arm(0, (CHANGE,), "t", 1.0))
    assert effect_of([stalled], Measure.LOSS).says == "did not end within 60 s"


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([pair(1.0, 0.5)], "better in one run, not proven"),
        ([pair(0.5, 1.0)], "worse (1 seed)"),
        ([pair(1.0, 0.2), pair(1.0, 1.1), pair(1.0, 1.2)], "better in 1 of 3 seeds, not proven"),
        ([pair(1.0, 0.5), pair(1.1, 0.5), pair(0.9, 0.5)], "better in 3 of 3 seeds"),
        ([pair(0.5, 1.0), pair(0.5, 1.1), pair(0.5, 0.9)], "worse in 3 of 3 seeds"),
        ([pair(math.nan, 0.5)], "better in one run, not proven; NaN or infinity in 1 of 1 control run"),
    ],
)
def test_an_effect_says_in_how_many_seeds_it_is_better(pairs: list[Pair], says: str) -> None:
    assert effect_of(pairs, Measure.LOSS).says.startswith(says)


def test_a_treated_run_that_ends_above_its_start_proves_nothing() -> None:
    def begun(control: float, treated: float, seed: int) -> Pair:
        paired = pair(control, treated, seed)
        return Pair(replace(paired.control, start=2.3), replace(paired.treated, start=2.3, loss=treated))

    less_bad = effect_of([begun(4e10, 5e3, seed) for seed in range(3)], Measure.LOSS)
    assert less_bad.outcome is Outcome.INCONCLUSIVE
    assert "above the loss that the untreated program starts with" in less_bad.says
    assert effect_of([begun(math.nan, 5e3, 0)], Measure.LOSS).gain == 0
    good = effect_of([begun(4e10, 0.2, 0), begun(3e10, 3.0, 1), begun(5e10, 0.3, 2)], Measure.LOSS)
    assert good.outcome is Outcome.HELPED


def test_a_treated_run_that_ends_above_a_constant_prediction_proves_nothing() -> None:
    def ended(value: float, chance: float, seed: int) -> Pair:
        paired = pair(40.0, value, seed)
        return replace(paired, treated=replace(paired.treated, start=90.0, loss=value, chance=chance))

    less_bad = effect_of([ended(8.0, 2.3, seed) for seed in range(3)], Measure.LOSS)
    assert less_bad.outcome is Outcome.INCONCLUSIVE
    assert "above the loss of a constant prediction" in less_bad.says
    assert effect_of([ended(8.0, 9.3, seed) for seed in range(3)], Measure.LOSS).outcome is Outcome.HELPED


def test_the_start_of_a_loss_that_runs_away_is_its_first_point() -> None:
    def logged(*losses: float) -> Run:
        return Run("run", (Series(TRAIN_LOSS, np.arange(1.0, len(losses) + 1), np.array(losses)),))

    assert untrained(logged(2.3, 4e3, 7e8, 5e10, 8e10)) == 2.3
    assert untrained(logged(2.3, 2.1, 2.5, 2.2, 2.0)) == 2.2
    assert untrained(logged(math.nan, math.nan)) is None
