"""Statistics of what layers put out, from small samples of it."""

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

import torch
from torch import Tensor

from traindx.probe import Look
from traindx.quantities import (
    ACTIVATION_MEAN,
    ACTIVATION_STD,
    ACTIVATION_ZERO_SHARE,
    NONFINITE_SHARE,
    SATURATED_SHARE,
)
from traindx.tensors.reckoning import reckoning
from traindx.tensors.sample import sample
from traindx.tensors.stack import numbers, stacked

Ends = tuple[float, float]
"""At or below the first and at or above the second number, a bounded activation is flat."""


class Activation(NamedTuple):
    """A sample of what one layer put out."""

    layer: str
    part: str
    values: Tensor
    ends: Ends | None


def activation(layer: str, part: str, output: Tensor, ends: Ends | None) -> Activation:
    """A sample of an output: a copy, because the next operation may write into the same memory."""
    return Activation(layer, part, sample(output.detach()).clone(), ends)


class ActivationWriter:
    """Writes the statistics of samples, of a layer that has ever shown a zero also the share of zeros."""

    def __init__(self) -> None:
        """Begin with no zero seen."""
        self._with_zeros: set[tuple[str, str]] = set()

    def write(self, look: Look, activations: Sequence[Activation]) -> None:
        """Write mean, deviation, and the shares of zeros, flat ends and non-finite values of each."""
        by_ends: dict[Ends | None, list[Activation]] = {}
        for one in activations:
            by_ends.setdefault(one.ends, []).append(one)
        with reckoning():
            for ends, members in by_ends.items():
                for stack in stacked([one.values for one in members]):
                    self._write_rows(look, [members[place] for place in stack.places], stack.rows, ends)

    def _write_rows(self, look: Look, members: Sequence[Activation], rows: Tensor, ends: Ends | None) -> None:
        means = rows.mean(1)
        scratch = rows - means.unsqueeze(1)
        # Population deviation by the norm: on a CPU, torch.std takes 20 times as long.
        deviations = torch.linalg.vector_norm(scratch, dim=1) / rows.shape[1] ** 0.5
        # Comparisons go into the scratch matrix as 0 and 1: summing truth values takes 5 times as long.
        zeros = torch.eq(rows, 0.0, out=scratch).mean(1)
        columns = (numbers(means), numbers(deviations), numbers(zeros))
        if rows.dtype is torch.float32 and rows.is_cpu and not _is_finite(columns):
            # Sums and squares of large values may have overflowed.
            self._write_rows(look, members, rows.double(), ends)
            return
        nonfinite = _nonfinite(rows, columns)
        for one, mean, deviation, zero, bad in zip(members, *columns, nonfinite, strict=True):
            look.add(ACTIVATION_MEAN, mean, layer=one.layer, part=one.part)
            look.add(ACTIVATION_STD, deviation, layer=one.layer, part=one.part)
            if self._is_with_zeros(one, zero):
                look.add(ACTIVATION_ZERO_SHARE, zero, layer=one.layer, part=one.part)
            if bad is not None:
                look.add(NONFINITE_SHARE, bad, layer=one.layer, part=one.part)
        if ends is not None:
            low = torch.le(rows, ends[0], out=scratch).mean(1)
            flat = low + torch.ge(rows, ends[1], out=scratch).mean(1)
            for one, share in zip(members, numbers(flat), strict=True):
                look.add(SATURATED_SHARE, share, layer=one.layer, part=one.part)

    def _is_with_zeros(self, one: Activation, share: float | Tensor) -> bool:
        """Whether to write the share: on a device always, because asking whether it is zero would wait."""
        key = (one.layer, one.part)
        if key in self._with_zeros:
            return True
        if isinstance(share, float) and share == 0:
            return False
        self._with_zeros.add(key)
        return True


def _is_finite(columns: Sequence[Sequence[float | Tensor]]) -> bool:
    return isfinite(sum(sum(column) for column in columns))


def _nonfinite(rows: Tensor, columns: Sequence[Sequence[float | Tensor]]) -> Sequence[float | Tensor | None]:
    """The share of non-finite values per row; on a CPU None where there are none."""
    if rows.is_cpu and _is_finite(columns):
        return [None] * len(rows)
    shares = numbers(torch.isfinite(rows).logical_not().float().mean(1))
    return [None if isinstance(share, float) and share == 0 else share for share in shares]
