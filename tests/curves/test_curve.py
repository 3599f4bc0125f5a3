"""Levels, trends and noise of curves."""

import numpy as np
import pytest

from traindx.curves.curve import Curve, curve_of
from traindx.curves.failure import spikes_of
from traindx.curves.series import kendall, robust_sigma, shares, whole
from traindx.finding import CANNOT_TELL, Finding
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis, Floats, Run, Series
from traindx.signs.loss import loss_diverges, loss_flat_from_start


def loss(values: Floats, axis: Axis = Axis.STEP, part: str = "") -> Series:
    return Series(TRAIN_LOSS, np.arange(len(values), dtype=np.float64), values, axis, part)


def noisy(points: int, sigma: float) -> Floats:
    return 1 + np.random.default_rng(0).normal(0, sigma, points)


def test_asked_again_it_is_the_same_curve() -> None:
    series = loss(noisy(50, 0.1))
    assert curve_of(series) is curve_of(series)


@pytest.mark.parametrize("points", [40, 59, 61, 299, 1_003, 40_001])
def test_the_noise_of_points_is_found(points: int) -> None:
    assert curve_of(loss(noisy(points, 0.1))).noise == pytest.approx(0.1, rel=0.35)


def test_blocks_keep_the_worst_value() -> None:
    values = noisy(100_000, 0.01)
    values[77_777] = 50
    curve = curve_of(loss(values))
    assert curve.high.max() == 50
    assert curve.blocks <= 240


def test_a_metric_is_turned_so_that_lower_is_better() -> None:
    series = Series(TRAIN_ACCURACY, np.arange(10.0), np.linspace(0.1, 0.9, 10))
    curve = curve_of(series)
    assert curve.start > curve.end
    assert curve.shown(curve.end) == pytest.approx(0.85, abs=0.1)


def test_the_last_points_are_never_left_out() -> None:
    values = np.ones(1_019)
    values[-4:] = 9
    assert curve_of(loss(values)).high[-1] == 9


def test_spans_are_steps_of_the_series() -> None:
    curve = curve_of(loss(noisy(1_019, 0.1)))
    assert curve.span(0, curve.blocks - 1) == (0, 1018)
    assert curve.since(0.5)[0] == pytest.approx(509, abs=20)


def test_values_that_mostly_repeat_have_noise() -> None:
    assert robust_sigma(np.array([0, 0, 0, 0, 1.0, 0, 0])) > 0


def test_kendall() -> None:
    assert kendall(np.arange(5.0)) == 1
    assert kendall(-np.arange(5.0)) == -1
    assert kendall(np.array([1.0])) == 0


def test_parts_of_the_same_steps_are_summed() -> None:
    run = Run("r", (loss(np.ones(5), part="box"), loss(2 * np.ones(5), part="class")))
    assert whole(run, TRAIN_LOSS).values.tolist() == [3] * 5


def test_a_whole_is_preferred_to_its_parts() -> None:
    run = Run("r", (loss(np.ones(5), part="box"), loss(7 * np.ones(5))))
    assert whole(run, TRAIN_LOSS).values.tolist() == [7] * 5


def test_epochs_and_steps_lie_on_the_same_run() -> None:
    train = loss(np.ones(101))
    val = Series(VAL_LOSS, np.arange(1.0, 5.0), np.ones(4), Axis.EPOCH)
    run = Run("r", (train, val))
    assert shares(run, train)[[0, 50, 100]].tolist() == [0, 0.5, 1]
    assert shares(run, val).tolist() == pytest.approx([0.25, 0.5, 0.75, 1])


def _spiked(*places: int) -> Curve:
    values = 2 * np.exp(-np.arange(1_000) / 200) + np.abs(noisy(1_000, 0.02) - 1)
    values[list(places)] += 5
    return curve_of(loss(values))


def test_spikes_are_found_where_they_are() -> None:
    assert [spike.peak for spike in spikes_of(_spiked(300, 700))] == [300, 700]
    assert spikes_of(_spiked()) == ()


def test_a_spike_that_takes_long_to_come_back_is_one() -> None:
    assert len(spikes_of(_spiked(300, 301, 302, 304))) == 1


def test_heavy_tails_are_no_spikes() -> None:
    values = 1 + np.random.default_rng(1).exponential(0.5, 20_000)
    assert spikes_of(curve_of(loss(values))) == ()


def test_values_too_large_to_be_told_apart_are_not_told_as_numbers() -> None:
    up_and_down: Floats = np.power(10.0, 300 + np.arange(100) % 9, dtype=np.float64)
    up: Floats = np.power(10.0, 3.0 * np.arange(100), dtype=np.float64)
    assert loss_flat_from_start(Run("huge", (loss(up_and_down),))) is CANNOT_TELL
    grown = loss_diverges(Run("grown", (loss(up),)))
    assert isinstance(grown, Finding)
    assert grown.says == "training loss is best at step 0 (1) and ends at 1e150 or more"
    assert curve_of(loss(-up_and_down)).text(-1e150) == "-1e150 or less"
