"""Runs that once fooled a sign: each is what a real log looked like."""

import numpy as np
import pytest

from traindx.causes.missing_warmup import warmup_absent
from traindx.causes.overfitting import validation_metric_declines
from traindx.facts import CLASSES, PLANNED_STEPS
from traindx.finding import CannotTell, Finding
from traindx.quantities import (
    GRADIENT_NORM,
    LEARNING_RATE,
    LOSS_SCALE,
    REWARD,
    SKIPPED_STEPS,
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_LOSS,
)
from traindx.run import Floats, Quantity, Run, Series
from traindx.signs.chance_level import accuracy_at_chance, loss_at_chance, reward_flat
from traindx.signs.gradients import gradient_norm_vanishes
from traindx.signs.loop import too_short
from traindx.signs.loss import loss_diverges, loss_falls, loss_flat_from_start
from traindx.signs.nonfinite import (
    fails_without_warning,
    loss_climbs_before_failure,
    loss_not_finite,
    loss_scale_collapses,
    steps_overflow,
)
from traindx.signs.spikes import loss_oscillates
from traindx.signs.validation import validation_improves, validation_turns_up


def series(quantity: Quantity, values: Floats, first: float = 0, every: float = 1) -> Series:
    return Series(quantity, first + every * np.arange(len(values), dtype=np.float64), np.asarray(values))


def noise(points: int, sigma: float) -> Floats:
    return np.random.default_rng(3).normal(0, sigma, points)


def test_one_infinite_value_in_the_first_epoch_hardly_counts() -> None:
    val = np.concatenate([[np.inf], np.linspace(3, 1, 60)])
    answer = loss_not_finite(Run("r", (series(VAL_LOSS, val),)))
    assert isinstance(answer, Finding)
    assert answer.strength < 0.2
    assert "recovers" in answer.says


def test_a_climb_of_a_few_steps_is_a_warning() -> None:
    loss = np.array([5.47, 5.6, 6.1, 6.9, 7.7, 8.6, 9.1, 9.55, np.nan, np.nan])
    run = Run("r", (series(TRAIN_LOSS, loss),))
    assert isinstance(loss_climbs_before_failure(run), Finding)
    assert fails_without_warning(run) is None


def test_a_loss_that_comes_down_to_guessing_has_learned_nothing() -> None:
    loss = np.concatenate([np.linspace(1500, 3, 30), 2.303 + noise(170, 0.01)])
    run = Run("r", (series(TRAIN_LOSS, loss),), facts={CLASSES: 10})
    assert loss_falls(run) is None
    assert isinstance(loss_at_chance(run), Finding)


def test_a_stated_number_of_classes_that_the_loss_passes_on_its_way_is_no_chance() -> None:
    loss = np.linspace(12, 7.1, 200) + noise(200, 0.05)
    run = Run("r", (series(TRAIN_LOSS, loss),), facts={CLASSES: 1000})
    assert loss_at_chance(run) is None
    assert isinstance(loss_falls(run), Finding)


def test_loss_and_accuracy_together_give_the_number_of_classes_away() -> None:
    accuracy = 10.4 + noise(20, 0.3)
    loss = 2.31 + noise(200, 0.02)
    run = Run("r", (series(TRAIN_LOSS, loss), series(VAL_ACCURACY, accuracy, every=10)))
    assert isinstance(accuracy_at_chance(run), Finding)
    better = Run("r", (series(TRAIN_LOSS, loss), series(VAL_ACCURACY, accuracy * 4, every=10)))
    assert isinstance(accuracy_at_chance(better), CannotTell)


def test_flat_noise_does_not_diverge() -> None:
    for seed in range(20):
        values = 1 + np.random.default_rng(seed).normal(0, 0.2, 150)
        assert loss_diverges(Run("r", (series(TRAIN_LOSS, values),))) is None


def test_a_loss_that_leaves_at_once_diverges() -> None:
    loss = np.concatenate([[1.1, 1.2], 10.0 ** np.linspace(1, 9, 20), 10.0 ** np.linspace(9, 3, 150)])
    assert isinstance(loss_diverges(Run("r", (series(TRAIN_LOSS, loss),))), Finding)


def test_noise_of_single_batches_is_no_oscillation() -> None:
    loss = 0.2 + np.abs(noise(120, 0.1))
    assert not isinstance(loss_oscillates(Run("r", (series(TRAIN_LOSS, loss),))), Finding)


def test_training_noise_does_not_hide_what_validation_shows() -> None:
    loss = series(TRAIN_LOSS, 0.2 + np.abs(noise(120, 0.05)))
    val = series(VAL_LOSS, np.linspace(0.23, 0.18, 12), every=10)
    assert loss_flat_from_start(Run("r", (loss, val))) is None


def test_a_loss_scale_that_is_still_being_searched_does_not_collapse() -> None:
    searched = np.concatenate([2.0 ** np.arange(23, 13, -1), np.full(60, 2.0**14)])
    skipped = np.concatenate([np.ones(10), np.zeros(60)])
    run = Run("r", (series(LOSS_SCALE, searched), series(SKIPPED_STEPS, skipped)))
    assert loss_scale_collapses(run) is None
    assert steps_overflow(run) is None
    falling = Run(
        "r", (series(LOSS_SCALE, 2.0 ** np.arange(40, -20, -1.0)), series(SKIPPED_STEPS, np.ones(60)))
    )
    assert isinstance(loss_scale_collapses(falling), Finding)
    assert isinstance(steps_overflow(falling), Finding)


def test_rewards_of_mostly_zero_have_noise() -> None:
    reward = np.where(np.random.default_rng(1).random(900) < 0.05, -0.15, 0.0)
    assert isinstance(reward_flat(Run("r", (series(REWARD, reward),))), Finding)


def test_an_overfitted_run_does_not_improve_because_its_first_epoch_did() -> None:
    val = np.concatenate([[2.3, 1.2, 0.7, 0.5, 0.42], np.linspace(0.42, 0.57, 25)])
    run = Run("r", (series(VAL_LOSS, val), series(TRAIN_LOSS, np.linspace(2.3, 0.01, 30))))
    assert validation_improves(run) is None
    assert isinstance(validation_turns_up(run), Finding)


def test_accuracy_after_a_nan_is_no_decline() -> None:
    loss = np.concatenate([np.linspace(0.7, 0.1, 50), np.full(20, np.nan)])
    accuracy = np.concatenate([np.linspace(0.5, 0.95, 10), np.full(4, 0.35)])
    run = Run("r", (series(TRAIN_LOSS, loss), series(VAL_ACCURACY, accuracy, every=5)))
    assert isinstance(validation_metric_declines(run), CannotTell)


def test_a_log_that_begins_in_the_middle_cannot_show_a_warm_up() -> None:
    rate = series(LEARNING_RATE, np.full(50, 1e-4), first=17_000)
    assert isinstance(warmup_absent(Run("r", (rate,))), CannotTell)
    assert isinstance(warmup_absent(Run("r", (series(LEARNING_RATE, np.full(50, 1e-4)),))), Finding)


def test_a_norm_is_not_small_because_the_loss_once_exploded() -> None:
    norm = np.concatenate([10.0 ** np.linspace(0, 9, 50), 10.0 ** np.linspace(9, 1, 100)])
    loss = np.concatenate([10.0 ** np.linspace(0, 8, 50), 10.0 ** np.linspace(8, 2, 100)])
    run = Run("r", (series(GRADIENT_NORM, norm), series(TRAIN_LOSS, loss)))
    assert gradient_norm_vanishes(run) is None


@pytest.mark.parametrize(("end", "early"), [(10.2, True), (5.0, False)])
def test_a_twentieth_of_the_plan_tells_only_when_the_curve_has_moved(end: float, early: bool) -> None:
    loss = series(TRAIN_LOSS, np.linspace(10.9, end, 247))
    answer = too_short(Run("r", (loss,), facts={PLANNED_STEPS: 5000}))
    assert isinstance(answer, Finding) is early
