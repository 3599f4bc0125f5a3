"""How many steps a trial run takes."""

import numpy as np
from numpy.typing import NDArray

from traindx.changes.types import Measure
from traindx.quantities import TRAIN_LOSS, VAL_LOSS
from traindx.run import Quantity, Run, Series
from traindx.trials.measurement import arm_length, steps_needed


def run(values: NDArray[np.float64], every: int = 1, quantity: Quantity = TRAIN_LOSS) -> Run:
    return Run("run", (Series(quantity, every * np.arange(1.0, len(values) + 1), values),))


STEADY = np.linspace(2.0, 1.0, 1000)


def test_a_short_run_is_taken_whole_and_a_long_one_as_far_as_the_time_goes() -> None:
    assert arm_length(run(STEADY), 20.0, {Measure.LOSS}).steps == 1000
    assert arm_length(run(STEADY), 300.0, {Measure.LOSS}).steps == 100
    assert arm_length(run(STEADY), 300.0, {Measure.LOSS}, wanted=50).steps == 50


def test_an_arm_goes_on_beyond_the_failure_it_is_about() -> None:
    fails = STEADY.copy()
    fails[600:] = np.nan
    assert steps_needed(run(fails), Measure.LOSS) == 662
    longer = arm_length(run(fails), 100.0, {Measure.LOSS}, left=600.0, at_once=2)
    assert (longer.steps, longer.note) == (662, "")


def test_what_needs_more_than_the_time_there_is_says_how_long() -> None:
    fails = STEADY.copy()
    fails[600:] = np.nan
    short = arm_length(run(fails), 1000.0, {Measure.LOSS}, left=600.0, at_once=2)
    assert short.steps == 100
    assert "may be too short to show an effect: 662 steps would show it" in short.note
    assert "--steps 662 --minutes" in short.note


def test_a_noisy_loss_takes_a_longer_arm_than_a_quiet_one() -> None:
    noise = np.random.default_rng(0).normal(size=1000)
    quiet, loud = (steps_needed(run(1.0 + size * noise), Measure.LOSS) for size in (0.01, 0.3))
    assert quiet < 10
    assert 100 < loud <= 1000


def test_a_validation_curve_needs_some_points() -> None:
    assert steps_needed(run(np.linspace(2, 1, 10), 100, VAL_LOSS), Measure.VALIDATION_LOSS) == 300
    assert steps_needed(run(STEADY), Measure.VALIDATION_LOSS) == 0
