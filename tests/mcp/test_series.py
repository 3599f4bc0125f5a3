"""A curve in few points: bounded, its own, and without losing a spike."""

import numpy as np
import pytest

pytest.importorskip("mcp")

from traindx.errors import TraindxError
from traindx.format import printable
from traindx.mcp.tools.series import points_of
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS, VAL_LOSS
from traindx.run import Run, Series


def run_of(*series: Series) -> Run:
    return Run("a", series)


def long_run() -> Run:
    values = np.random.default_rng(0).random(100_000)
    values[12_345], values[54_321], values[90_001] = 50.0, -50.0, np.nan
    return run_of(Series(TRAIN_LOSS, np.arange(100_000.0), values))


@pytest.mark.parametrize("most", [4, 5, 10, 100, 2000])
def test_as_many_points_as_asked_for_hold_every_spike(most: int) -> None:
    points = points_of(long_run(), "train_loss", most)
    assert len(points.steps) == len(points.values) <= most
    drawn = dict(zip(points.steps, points.values, strict=True))
    assert (drawn[12_345], drawn[54_321]) == (50.0, -50.0)
    assert [(bad.at, bad.value) for bad in points.nonfinite] == [(90_001, "NaN")]
    assert points.recorded == 100_000
    assert points.highest is not None
    assert (points.highest.at, points.highest.value) == (12_345, 50.0)


def test_a_stretch_is_told_more_closely() -> None:
    points = points_of(long_run(), "train_loss", 50, first=12_340, last=12_350)
    assert points.steps == list(range(12_340, 12_351))
    assert points.every == 0


def test_a_curve_of_no_numbers_is_told_as_such() -> None:
    points = points_of(run_of(Series(TRAIN_LOSS, np.arange(3.0), np.full(3, np.nan))), "train_loss", 10)
    assert points.values == [None, None, None]
    assert points.lowest is None
    assert len(points.nonfinite) == 3


def by_layer() -> Run:
    steps = np.arange(3.0)
    return run_of(
        Series(GRADIENT_NORM, steps, steps, layer="first"),
        Series(GRADIENT_NORM, steps, steps + 1, layer="second"),
        Series(VAL_LOSS, steps, steps, part="clean"),
    )


def test_a_layer_is_chosen_and_a_single_part_needs_no_name() -> None:
    assert points_of(by_layer(), "gradient_norm", 10, layer="second").values == [1, 2, 3]
    assert points_of(by_layer(), "val_loss", 10).part == "clean"


def test_a_layer_with_an_odd_name_is_found_by_the_name_that_is_told() -> None:
    steps = np.arange(3.0)
    odd = Series(GRADIENT_NORM, steps, steps, layer="first\x1b[2J" + "x" * 300)
    points = points_of(run_of(odd), "gradient_norm", 10, layer=printable(odd.layer)).layer
    assert points.isprintable()
    assert len(points) <= 120


@pytest.mark.parametrize(
    ("quantity", "layer", "part", "says"),
    [
        ("gradient_norm", "", "", "is recorded per layer; choose one of first, second"),
        ("gradient_norm", "secnd", "", "did you mean second"),
        ("val_loss", "first", "", "omit layer"),
        ("val_loss", "", "dirty", 'has no part "dirty"'),
        ("train_loss", "", "", "has no train_loss; it has gradient_norm, val_loss"),
        ("val_los", "", "", "did you mean val_loss"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(quantity: str, layer: str, part: str, says: str) -> None:
    with pytest.raises(TraindxError, match=says):
        points_of(by_layer(), quantity, 10, layer=layer, part=part)


def test_a_stretch_without_points_says_where_they_are() -> None:
    with pytest.raises(TraindxError, match="steps 0-99,999"):
        points_of(long_run(), "train_loss", 10, first=1e6)
