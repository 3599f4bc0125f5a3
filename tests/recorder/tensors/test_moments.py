"""Moments of a table against plain arithmetic."""

import math
import statistics

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from traindx.recorder.tensors.moments import moments

VALUES = st.floats(-1e3, 1e3) | st.sampled_from([math.nan, math.inf, 1.0])
TABLES = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(VALUES, min_size=n, max_size=n), min_size=1, max_size=12)
)


@given(TABLES)
def test_moments_are_those_of_the_finite_values(rows: list[list[float]]) -> None:
    found = moments(torch.tensor(rows, dtype=torch.float64))
    columns = [[value for value in column if math.isfinite(value)] for column in zip(*rows, strict=True)]
    values = [value for column in columns for value in column]
    if not values:
        assert found is None
        return
    assert found is not None
    assert (found.low, found.high) == (min(values), max(values))
    assert found.mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    if len(rows) == 1:
        assert found.std is None
        return
    squares = sum(len(column) * statistics.pvariance(column) for column in columns if column)
    assert found.std == pytest.approx(math.sqrt(squares / len(values)), abs=1e-9)
