"""Some ten steps of a good training: too little to be sure of, and never an illness."""

import numpy as np
import pytest

from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict
from traindx.facts import CLASSES
from traindx.finding import CannotTell, Finding
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis, Floats, Quantity, Run, Series
from traindx.signs.chance_level import accuracy_at_chance
from traindx.signs.generalization import both_losses_high
from traindx.signs.loop import too_short
from traindx.signs.loss import loss_falls, loss_plateaus


def series(quantity: Quantity, values: Floats, every: int = 1) -> Series:
    return Series(quantity, every * np.arange(1, len(values) + 1, dtype=np.float64), np.asarray(values))


def logistic(steps: int, seed: int, *, batch: int = 16, rate: float = 0.3) -> Run:
    """A logistic regression on two classes, with its accuracy at the steps a recorder looks at."""
    dice = np.random.default_rng(seed)
    truth, weights = dice.normal(size=12), np.zeros(12)
    losses, hits, checked = [], [], []
    held, labels = dice.normal(size=(200, 12)), None
    for step in range(1, steps + 1):
        inputs = dice.normal(size=(batch, 12))
        targets = (inputs @ truth > 0).astype(float)
        away = inputs @ weights
        sure = 1 / (1 + np.exp(-away))
        losses.append(float(np.mean(np.logaddexp(0, away) - targets * away)))
        weights = weights - rate * inputs.T @ (sure - targets) / batch
        if step in (1, 2, 3, 4, 7, 8, 15, 16, 31, 32):
            hits.append((step, float(np.mean((sure > 0.5) == targets))))
        if step % 20 == 0:
            labels = (held @ truth > 0).astype(float) if labels is None else labels
            checked.append(float(np.mean(np.logaddexp(0, held @ weights) - labels * (held @ weights))))
    at, shares = (np.array(row, dtype=np.float64) for row in zip(*hits, strict=True))
    looked = Series(TRAIN_ACCURACY, at, shares)
    return Run(
        f"logistic {seed}",
        (series(TRAIN_LOSS, np.array(losses)), series(VAL_LOSS, np.array(checked), 20), looked),
        facts={CLASSES: 2},
    )


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("batch", [10, 24])
def test_a_short_training_that_learns_is_not_called_sick(rate: float, batch: int) -> None:
    runs = [logistic(60, seed, batch=batch, rate=rate) for seed in range(15)]
    assert [run.name for run in runs if diagnose(run).verdict is Verdict.SICK] == []


def test_a_fall_that_no_stretch_shows_is_seen_by_all_of_them_together() -> None:
    flags = [isinstance(loss_falls(logistic(60, seed, batch=10, rate=0.05)), Finding) for seed in range(12)]
    flat = [isinstance(loss_falls(logistic(60, seed, batch=10, rate=0.0)), Finding) for seed in range(50)]
    assert sum(flags) >= 9
    assert sum(flat) <= 1


def test_a_loss_that_falls_on_as_far_as_noise_lets_see_does_not_stand_still() -> None:
    dice = np.random.default_rng(0)
    train = np.linspace(0.74, 0.55, 60) + 0.05 * dice.standard_normal(60)
    run = Run("r", (series(TRAIN_LOSS, train), series(VAL_LOSS, np.array([0.71, 0.63, 0.57]), 20)))
    assert not isinstance(both_losses_high(run), Finding)


def test_an_accuracy_that_was_last_looked_at_midway_does_not_tell_how_it_ends() -> None:
    early = Series(TRAIN_ACCURACY, np.array([1.0, 2, 3, 4, 7, 8, 15, 16, 31, 32]), np.full(10, 0.5))
    falling = series(TRAIN_LOSS, 0.7 * np.exp(-np.arange(60) / 30))
    run = Run("r", (falling, early), facts={CLASSES: 2})
    assert isinstance(accuracy_at_chance(run), CannotTell)
    late = Series(TRAIN_ACCURACY, np.array([1.0, 20, 40, 52]), np.full(4, 0.5))
    assert isinstance(accuracy_at_chance(Run("r", (falling, late), facts={CLASSES: 2})), Finding)


def test_what_falls_from_far_above_guessing_is_not_all_there_was_to_learn() -> None:
    dice = np.random.default_rng(0)
    way = np.arange(60)
    values = 14 * np.exp(-way / 4) + np.log(29) - 0.006 * way + 0.02 * dice.standard_normal(60)
    run = Run("gpt", (series(TRAIN_LOSS, values),), facts={CLASSES: 29})
    assert loss_plateaus(run) is None
    assert isinstance(loss_plateaus(Run("gpt", run.series)), Finding)


@pytest.mark.parametrize("points", [25, 49])
def test_to_stand_still_for_some_ten_steps_is_too_short(points: int) -> None:
    dice = np.random.default_rng(points)
    still = Run("still", (series(TRAIN_LOSS, 0.69 + 0.004 * dice.standard_normal(points)),))
    assert isinstance(too_short(still), Finding)
    assert diagnose(still).verdict is Verdict.INCONCLUSIVE
    moving = Run("moving", (series(TRAIN_LOSS, 2 * np.exp(-np.arange(points) / 10)),))
    assert too_short(moving) is None


def by_epoch(quantity: Quantity, values: list[float]) -> Series:
    return Series(quantity, np.arange(1, len(values) + 1, dtype=np.float64), np.array(values), Axis.EPOCH)


def test_six_epochs_are_enough_where_both_curves_go_down() -> None:
    train = by_epoch(TRAIN_LOSS, [1.2, 0.8, 0.6, 0.45, 0.38, 0.33])
    held = by_epoch(VAL_LOSS, [1.0, 0.7, 0.6, 0.5, 0.45, 0.42])
    assert isinstance(too_short(Run("r", (train, held))), Finding)
    assert diagnose(Run("r", (train, held))).verdict is Verdict.HEALTHY
    assert diagnose(Run("r", (train,))).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("training", "validation", "expected"),
    [
        ([1.2, 0.9, 0.8, 0.75, 0.72, 0.7], [0.9, 0.85, 0.86, 0.84, 0.86, 0.85], Verdict.INCONCLUSIVE),
        ([1.2, 0.8, 0.6, 0.45, 0.38, 0.33], [0.9, 0.85, 0.9, 0.88, 0.93, 0.9], Verdict.SICK),
        ([1.2, 0.8, 0.6, 0.45, 0.38, 0.33], [0.9, 0.85, 0.9, 1.0, 1.1, 1.2], Verdict.SICK),
    ],
)
def test_six_epochs_are_an_illness_only_where_validation_is_left_behind(
    training: list[float], validation: list[float], expected: Verdict
) -> None:
    run = Run("r", (by_epoch(TRAIN_LOSS, training), by_epoch(VAL_LOSS, validation)))
    assert diagnose(run).verdict is expected
