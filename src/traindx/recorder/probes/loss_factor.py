"""How the loss function takes its samples together, and what is done to its value before the backward pass.

A loss that is negated, summed in place of averaged, or divided once too often is off by a factor that stays
the same from step to step. It is told where one loss function alone led to the backward pass, and where two
looks agree: a term that is added makes the quotient change.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.facts import LOSS_FACTOR, LOSS_REDUCTION
from traindx.recorder.graph.nodes import is_leaf
from traindx.recorder.probes.types import LiveParameter, LossCall, Probe, Purpose, Snapshot
from traindx.recorder.tensors.access import reckoning

_REDUCTIONS = {"sum": "sum", "none": "none"}
"""Everything else is a mean: "mean", "batchmean", Keras' "sum_over_batch_size" ..."""
_ENOUGH = 3
"""Times that the same factor was found after which it is known."""
_FRUITLESS = 8
"""Looks after which it is searched no more."""
_DIGITS = 4
_CLOSE = 2e-4
"""Factors of two looks that differ by less than this share are the same but for rounding."""
_MOST_CALLS = 64
_MOST_NODES = 256
"""Operations between the loss function and the backward pass."""


@dataclass(frozen=True)
class _Value:
    """What a loss function gave."""

    number: int
    """The sequence number of its node."""
    mean: float


class LossFactor(Probe):
    """Compares what loss functions give with what enters the backward pass."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._step = 0
        self._values: list[_Value] = []
        self._factor = 0.0
        self._agreed = self._looks = 0

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """State the reduction and remember the value."""
        if call.purpose is not Purpose.TRAINING:
            return
        snapshot.state(LOSS_REDUCTION, _reduction(call.options))
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._values.clear()
        node, value = call.value.grad_fn, call.value
        if self._is_done or node is None or not value.is_floating_point() or not value.numel():
            return
        if len(self._values) < _MOST_CALLS:
            with reckoning():
                self._values.append(_Value(node._sequence_nr(), float(value.float().mean())))

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """State the factor once two looks agree."""
        values, self._values = self._values, []
        node = loss.grad_fn
        if self._is_done or not values or node is None or loss.numel() != 1:
            return
        self._looks += 1
        behind = _behind(node, min(one.number for one in values))
        led = [one for one in values if one.number in behind]
        if len(led) != 1:
            return
        factor = _quotient(float(loss.detach()), led[0].mean)
        if factor is None:
            return
        if not math.isclose(factor, self._factor, rel_tol=_CLOSE):
            self._factor, self._agreed = factor, 1
            return
        self._agreed += 1
        snapshot.state(LOSS_FACTOR, float(f"{factor:.{_DIGITS}g}"))

    @property
    def _is_done(self) -> bool:
        return self._agreed >= _ENOUGH or self._looks >= _FRUITLESS


def _reduction(options: Mapping[str, object]) -> str:
    # As it was spelled before there was a word for it.
    if options.get("reduce") is False:
        return "none"
    if options.get("size_average") is False:
        return "sum"
    return _REDUCTIONS.get(str(options.get("reduction", "mean")).lower(), "mean")


def _behind(node: Node, first: int) -> set[int]:
    """Sequence numbers of what led to a node, back to the first: nothing made before depends on it."""
    found, waiting = {node._sequence_nr()}, [node]
    while waiting and len(found) < _MOST_NODES:
        for operand, _ in waiting.pop().next_functions:
            if operand is None or is_leaf(operand):
                continue
            number = operand._sequence_nr()
            if number >= first and number not in found:
                found.add(number)
                waiting.append(operand)
    return found


def _quotient(loss: float, value: float) -> float | None:
    if not math.isfinite(loss) or not math.isfinite(value) or abs(value) < torch.finfo(torch.float32).tiny:
        return None
    return loss / value or None


PROBE = LossFactor
