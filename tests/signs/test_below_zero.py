"""Losses that may be negative: zero is no floor of theirs, and their size says nothing."""

from dataclasses import replace

import numpy as np
import pytest

from traindx.causes.exploding_gradients import CAUSE as EXPLODING
from traindx.curves.curve import curve_of
from traindx.curves.objective import at_floor
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict
from traindx.facts import GRADIENT_CLIP
from traindx.finding import CannotTell, Finding
from traindx.quantities import GRADIENT_NORM, TRAIN_ACCURACY, TRAIN_LOSS, UPDATE_RATIO, VAL_LOSS
from traindx.run import Floats, Parameter, Quantity, Run, Series
from traindx.signs.gradients import gradient_spikes_before_loss
from traindx.signs.loss import loss_diverges, loss_falls, loss_falls_slowly, loss_flat_from_start
from traindx.signs.spikes import spikes_without_large_updates
from traindx.signs.validation import validation_turns_up


def series(quantity: Quantity, values: Floats) -> Series:
    return Series(quantity, np.arange(1, len(values) + 1, dtype=np.float64), np.asarray(values))


def likelihood(steps: int, rate: float, *, batch: int = 40, spread: float = 0.08, begin: float = 0.1) -> Run:
    """A normal distribution fitted to 40 numbers by descent on its negative log likelihood."""
    dice = np.random.default_rng(0)
    data = dice.normal(0.02, spread, 40)
    middle, log_width, losses = 0.0, np.log(begin), []
    for _ in range(steps):
        drawn = data if batch == 40 else dice.choice(data, batch)
        away = (drawn - middle) / np.exp(log_width)
        losses.append(40 * float(np.mean(away**2 / 2 + log_width + 0.919)))
        middle += rate * float(np.mean(away)) * np.exp(log_width)
        log_width += rate * float(np.mean(away**2 - 1))
    return Run("likelihood", (series(TRAIN_LOSS, np.array(losses)),))


@pytest.mark.parametrize("steps", [60, 150, 400])
@pytest.mark.parametrize("rate", [0.01, 0.03])
@pytest.mark.parametrize("begin", [0.085, 0.1, 0.2, 2.0])
def test_a_likelihood_that_is_learned_is_healthy(steps: int, rate: float, begin: float) -> None:
    run = likelihood(steps, rate, begin=begin)
    assert run[TRAIN_LOSS].values[-1] < 0 or begin == 2.0
    assert diagnose(run).verdict is Verdict.HEALTHY


@pytest.mark.parametrize("begin", [0.085, 0.1, 0.2])
def test_one_learned_from_batches_is_not_sick(begin: float) -> None:
    for steps in (60, 150, 400):
        run = likelihood(steps, 0.03, batch=16, begin=begin)
        assert diagnose(run).verdict is not Verdict.SICK


def test_how_far_it_should_fall_is_not_known() -> None:
    run = likelihood(150, 0.005)
    assert isinstance(loss_falls_slowly(run), CannotTell)
    answer = loss_falls(run)
    assert isinstance(answer, Finding)
    assert answer.strength == 1.0


def test_one_that_never_moves_is_flat_unless_noise_may_hide_a_fall() -> None:
    still = Run("flat", (series(TRAIN_LOSS, np.full(200, -32.7)),))
    assert isinstance(loss_flat_from_start(still), Finding)
    assert diagnose(still).verdict is Verdict.SICK
    trembling = -32.7 + np.random.default_rng(1).normal(0, 0.05, 200)
    noisy = Run("noisy", (series(TRAIN_LOSS, trembling),))
    assert isinstance(loss_flat_from_start(noisy), CannotTell)
    assert diagnose(noisy).verdict is Verdict.INCONCLUSIVE


def test_one_that_rises_diverges() -> None:
    dice = np.random.default_rng(2)
    values = -32.7 + np.linspace(0, 12, 200) + dice.normal(0, 0.3, 200)
    run = Run("up", (series(TRAIN_LOSS, values),))
    assert isinstance(loss_diverges(run), Finding)
    assert loss_flat_from_start(run) is None


def test_one_that_only_trembles_does_not_diverge() -> None:
    for seed in range(40):
        values = -32.7 + np.random.default_rng(seed).normal(0, 0.3, 200)
        assert loss_diverges(Run("calm", (series(TRAIN_LOSS, values),))) is None


def test_on_its_way_through_zero_it_stands_on_no_floor() -> None:
    values = 4 * np.exp(-np.arange(200) / 20) - 0.02
    run = Run("through", (series(TRAIN_LOSS, values),))
    curve = curve_of(run[TRAIN_LOSS])
    assert curve.floorless
    assert curve.size == pytest.approx(curve.start, rel=0.05)
    assert not at_floor(run, curve)


def test_percent_of_a_negative_loss_are_not_told() -> None:
    train = 5 * np.exp(-np.arange(60) / 10) - 20
    val = np.concatenate([np.linspace(-10, -18, 20), np.linspace(-18, -12, 40)])
    answer = validation_turns_up(Run("turn", (series(TRAIN_LOSS, train), series(VAL_LOSS, val))))
    assert isinstance(answer, Finding)
    assert "%" not in answer.says


def test_a_metric_that_is_turned_has_its_zero() -> None:
    assert not curve_of(series(TRAIN_ACCURACY, np.linspace(0.1, 0.9, 50))).floorless


def spiked(at: int, end: float) -> Run:
    """A likelihood that spikes together with its gradients at one step, and where it ends then."""
    loss = np.concatenate([np.linspace(0, -2, 100), np.linspace(-2, end, 900)])
    loss += np.random.default_rng(0).normal(0, 0.05, 1000)
    norm = np.full(1000, 2.0) + np.random.default_rng(1).normal(0, 0.1, 1000)
    loss[at + 1], norm[at] = 1.5, 600.0
    ratios = Series(UPDATE_RATIO, np.array([0.0, 50.0]), np.array([0.002, 0.002]), layer="net.weight")
    model = (Parameter("net.weight", "Linear", (64, 64), trainable=True, optimized=True, gradient=True),)
    return Run("flow", (series(TRAIN_LOSS, loss), series(GRADIENT_NORM, norm), ratios), model=model)


@pytest.mark.parametrize(("at", "end", "is_mild"), [(80, -3.4, True), (900, -3.4, False), (80, -1.0, False)])
def test_a_spike_that_a_run_outgrew_is_a_warning(at: int, end: float, is_mild: bool) -> None:
    for asked in (spikes_without_large_updates, gradient_spikes_before_loss):
        answer = asked(spiked(at, end))
        assert isinstance(answer, Finding)
        assert (answer.strength <= 0.4) is is_mild


def test_a_clipping_limit_is_not_raised() -> None:
    run = spiked(80, -3.4)
    clip = next(fix for fix in EXPLODING.fixes if fix.change == "gradients.clip p95")
    assert clip.suits(run)
    assert clip.suits(replace(run, facts={GRADIENT_CLIP: 10.0}))
    assert not clip.suits(replace(run, facts={GRADIENT_CLIP: 1.0}))
