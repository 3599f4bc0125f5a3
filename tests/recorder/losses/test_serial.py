"""The order of numbers against scipy-free plain arithmetic."""

import statistics

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from traindx.recorder.losses.serial import serial_correlation


def mean_rank(value: float, values: list[float]) -> float:
    below = sum(other < value for other in values)
    return below + (sum(other == value for other in values) - 1) / 2


@given(st.lists(st.integers(-5, 5).map(float) | st.floats(-1e9, 1e9), min_size=3, max_size=40))
def test_it_is_the_correlation_of_mean_ranks(values: list[float]) -> None:
    ranks = [mean_rank(value, values) for value in values]
    assume(len(set(ranks[:-1])) > 1)
    assume(len(set(ranks[1:])) > 1)
    expected = statistics.correlation(ranks[:-1], ranks[1:])
    assert serial_correlation(values) == pytest.approx(expected, abs=1e-9)


def test_sorted_numbers_have_one() -> None:
    assert serial_correlation([x**3 for x in range(10)]) == pytest.approx(1.0)
    assert serial_correlation([-x for x in range(10)]) == pytest.approx(1.0)


def test_equal_numbers_have_no_order() -> None:
    assert serial_correlation([2.0] * 9) is None
    alternating = serial_correlation([0.0, 1.0] * 8)
    assert alternating is not None
    assert alternating == pytest.approx(-1.0)
