"""How clear a value beyond its limit is."""

import math

import pytest

from traindx.curves.limits import MILD, WEAK, graded, linear


def test_by_orders_of_magnitude_ten_times_the_limit_is_fully_clear() -> None:
    assert graded(4.0, 4.0) == WEAK
    assert graded(40.0, 4.0) == 1
    assert graded(4.0 * math.sqrt(10), 4.0) == pytest.approx((1 + WEAK) / 2)
    assert graded(8.0, 4.0, 16.0, least=0.5) == pytest.approx(0.75)


def test_in_proportion() -> None:
    assert linear(0.5, 0.5, over=0.4) == MILD
    assert linear(0.7, 0.5, over=0.4) == pytest.approx((1 + MILD) / 2)
    assert linear(0.9, 0.5, over=0.4, least=0.5) == 1


def test_a_strength_has_bounds() -> None:
    assert graded(1e9, 1.0) == linear(1e9, 1.0) == 1
    assert graded(1e-9, 1.0) == WEAK
    assert linear(1e-9, 1.0) == MILD


def test_what_is_no_number_is_fully_clear() -> None:
    assert graded(math.inf, 1.0) == graded(math.nan, 1.0) == graded(0.0, 1.0) == 1
