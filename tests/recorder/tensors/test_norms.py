"""Norms against sums in exact order and double precision."""

import math

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from traindx.recorder.tensors.norms import norms


def slowly(values: Tensor) -> float:
    return math.sqrt(math.fsum(value * value for value in values.flatten().tolist()))


def test_norms_are_those_of_plain_arithmetic_whatever_the_type() -> None:
    torch.manual_seed(0)
    values = [torch.randn(7, 5), torch.randn(4).double(), torch.randn(9, 9).half(), torch.randn(3).bfloat16()]
    values += [torch.randn(6, 4).t(), torch.tensor(2.5), torch.randn(5, 8)[:, ::2], torch.zeros(3)]
    assert norms(values) == pytest.approx([slowly(one) for one in values], rel=1e-5)


def test_half_precision_does_not_overflow() -> None:
    assert norms([torch.full((4,), 65_000.0).half()]) == pytest.approx([130_000], rel=1e-3)


def test_large_finite_values_have_a_finite_norm() -> None:
    assert norms([torch.full((4,), 1e30), torch.ones(4)]) == pytest.approx([2e30, 2.0])


def test_values_that_are_not_finite_show() -> None:
    bad, infinite = norms([torch.tensor([1.0, math.nan]), torch.tensor([1.0, -math.inf])])
    assert isinstance(bad, float)
    assert math.isnan(bad)
    assert infinite == math.inf


def test_of_nothing_there_is_none() -> None:
    assert norms([]) == []
