"""Rates of Keras' optimizers, against the same rates written by hand."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.changes.live.keras.trainings import (
    RATE,
    STEPS,
    Sequential,
    applied,
    changed,
    dense,
    keras,
    notes,
    refused,
    train,
)

pytestmark = pytest.mark.filterwarnings("ignore")

SGD = keras.optimizers.SGD
schedules = keras.optimizers.schedules


def by_hand(rates: Sequence[float]) -> "keras.optimizers.Optimizer":
    """An optimizer with a rate for each step."""
    return SGD(schedules.PiecewiseConstantDecay(list(range(len(rates) - 1)), list(rates)))


def decaying(rate: float) -> "keras.optimizers.Optimizer":
    return SGD(schedules.ExponentialDecay(rate, 1, 0.5))


@pytest.mark.parametrize("text", ["optimizer.lr x 0.1", "optimizer.lr 0.05"])
def test_a_rate_is_multiplied_or_set_and_the_program_does_not_see_it(text: str, tmp_path: Path) -> None:
    with changed(tmp_path, text):
        training = train()
    assert training.losses == pytest.approx(train(optimizer=SGD(0.05)).losses)
    assert float(training.model.optimizer.learning_rate) == pytest.approx(RATE)
    assert notes(tmp_path) == [(True, "the learning rate 0.5 becomes 0.05")]


@pytest.mark.parametrize("text", ["optimizer.lr x 0.1", "optimizer.lr 0.05"])
def test_a_schedule_goes_on_from_another_rate(text: str, tmp_path: Path) -> None:
    with changed(tmp_path, text):
        training = train(optimizer=decaying(0.5))
    assert training.losses == pytest.approx(train(optimizer=decaying(0.05)).losses)


def test_a_callback_that_sets_the_rate_goes_on(tmp_path: Path) -> None:
    def halved(_: int, rate: float) -> float:
        return rate / 2

    def callbacks() -> list[object]:
        return [keras.callbacks.LearningRateScheduler(halved)]

    with changed(tmp_path, "optimizer.lr 0.05"):
        training = train(callbacks=callbacks())
    assert training.losses == pytest.approx(train(optimizer=SGD(0.05), callbacks=callbacks()).losses)
    with changed(tmp_path, "schedule.constant"):
        assert train(callbacks=callbacks()).losses == pytest.approx(train().losses)


def test_a_warm_up_and_another_rate_are_taken_together(tmp_path: Path) -> None:
    with changed(tmp_path, "schedule.warmup 3", "optimizer.lr x 0.1", steps=100):
        training = train()
    rates = [0.05 * min(1.0, step / 3) for step in range(1, STEPS + 1)]
    assert training.losses == pytest.approx(train(optimizer=by_hand(rates)).losses)
    assert len(applied(tmp_path)) == 2


def test_a_cosine_stands_in_the_place_of_a_schedule(tmp_path: Path) -> None:
    with changed(tmp_path, "schedule.cosine"):
        training = train(optimizer=decaying(RATE))
    rates = [RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS)) for step in range(STEPS)]
    assert training.losses == pytest.approx(train(optimizer=by_hand(rates)).losses, rel=1e-5)
    with changed(tmp_path, "schedule.cosine", steps=None):
        train(steps=1)
    assert "--steps" in refused(tmp_path)[0]


def test_a_schedule_is_taken_away(tmp_path: Path) -> None:
    with changed(tmp_path, "schedule.constant"):
        training = train(optimizer=decaying(RATE))
    assert training.losses == pytest.approx(train().losses, rel=1e-5)
    warmed = schedules.CosineDecay(0.0, 10, warmup_target=RATE, warmup_steps=3)
    with changed(tmp_path, "schedule.constant"):
        # At its first step such a schedule has a rate of zero, which no factor makes another.
        later = train(optimizer=SGD(warmed)).losses[1:]
    assert later == pytest.approx(train().losses[: STEPS - 1], rel=1e-5)


def test_a_rate_follows_a_loss_that_stands_still(tmp_path: Path) -> None:
    with changed(tmp_path, "schedule.reduce_on_plateau 10", steps=100):
        training = train(optimizer=SGD(1e-9), steps=16)
        assert float(training.model.optimizer.learning_rate) == pytest.approx(1e-9)
    assert applied(tmp_path) == ["loss plateau at step 14: learning rate divided by 10"]


def test_half_precision_takes_the_same_rates(tmp_path: Path) -> None:
    def mixed() -> Sequential:
        return dense(dtype="mixed_float16")

    with changed(tmp_path, "optimizer.lr x 0.1"):
        training = train(mixed)
    assert training.losses == pytest.approx(train(mixed, optimizer=SGD(0.05)).losses)
