"""What a sign says of a curve must hold for whoever looks it up in the log."""

import re

import numpy as np
import pytest

from traindx.facts import CLASSES
from traindx.finding import Finding
from traindx.quantities import TRAIN_LOSS
from traindx.run import Floats, Run, Series
from traindx.signs.loss import loss_converged, loss_diverges, loss_flat_from_start


def losses(values: Floats) -> Run:
    steps = np.arange(1, len(values) + 1, dtype=np.float64)
    return Run("run", (Series(TRAIN_LOSS, steps, np.asarray(values)),))


def by_decades(points: int, decades: float, scatter: float) -> Floats:
    """A loss that falls by orders of magnitude, as those of full batches do."""
    dice = np.random.default_rng(points)
    way = np.linspace(0, 1, points) ** 0.5
    return np.asarray(4.4 * 10 ** (-decades * way + scatter * dice.standard_normal(points)))


@pytest.mark.parametrize("points", [120, 400, 3_000])
@pytest.mark.parametrize("decades", [2, 4, 7])
@pytest.mark.parametrize("scatter", [0.0, 0.2])
def test_where_a_loss_is_said_to_settle_it_stays(points: int, decades: float, scatter: float) -> None:
    values = by_decades(points, decades, scatter)
    answer = loss_converged(losses(values))
    if not isinstance(answer, Finding):
        return
    settled = re.search(r"settles at (\S+) from step (\S+) on", answer.says)
    if settled:
        at, since = float(settled[1]), int(settled[2].replace(",", ""))
        assert np.median(values[since - 1 : since + points // 20]) < 2 * at
        return
    down = re.search(r"is down to (\S+) at step (\S+) and ends at", answer.says)
    assert down
    level, since = float(down[1]), int(down[2].replace(",", ""))
    near = values[max(0, since - 1 - points // 20) : since + points // 20]
    assert near.min() <= level <= near.max()
    assert float(np.median(values[since:])) <= level


def test_a_loss_of_decades_is_not_said_to_settle_where_it_has_decades_to_go() -> None:
    answer = loss_converged(losses(by_decades(400, 6, 0.1)))
    assert isinstance(answer, Finding)
    assert "settles" not in answer.says


def test_a_loss_that_comes_down_to_guessing_stands_on_no_floor() -> None:
    dice = np.random.default_rng(0)
    values = np.log(10) + 30 * np.exp(-np.arange(300) / 15) + 0.02 * dice.standard_normal(300)
    run = losses(values)
    assert loss_converged(Run("run", run.series, facts={CLASSES: 10})) is None


def test_a_loss_that_rises_does_not_stay_where_it_was() -> None:
    dice = np.random.default_rng(0)
    for end in (2.7, 9.0, 156.7):
        values = np.linspace(2.283, end, 264) + 0.01 * dice.standard_normal(264)
        assert loss_flat_from_start(losses(values)) is None
        assert isinstance(loss_diverges(losses(values)), Finding)


def test_first_and_last_of_a_flat_loss_may_differ_by_its_scatter_which_is_then_told() -> None:
    values = 2 + 0.5 * np.random.default_rng(4).standard_normal(90)
    values[0] = 1.4
    answer = loss_flat_from_start(losses(values))
    assert isinstance(answer, Finding)
    assert re.search(r"\(1\.4 at the start, 1\.9\d* at the end; noise 0\.[45]\d* std\)", answer.says)
