"""The norm of every parameter, exact, and how far one update moves it, from a sample.

The ratio is the norm of the change over the norm of the weights before it, and 1 where all were zero before.
It is taken of matrices and kernels: biases and the scales of normalizations begin at a constant, so that
their ratio says little; they only stand in where a model has nothing else.

In a tall matrix such as an embedding most rows get no gradient from a batch, and would hide how far the
others move: there only weights with a gradient other than zero count, in a larger sample. Where the gradient
is a sparse tensor the whole matrix counts, so that its ratio is that of an average row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from traindx.quantities import UPDATE_RATIO, WEIGHT_NORM
from traindx.recorder.probes.types import Probe, Snapshot, Update
from traindx.recorder.tensors.access import are_plain, plain, reckoning
from traindx.recorder.tensors.sample import LIMIT, Stack, norms, numbers, rows_of, sample, stacked

_TABLE_ROWS = 1024
_TABLE_LIMIT = 8 * LIMIT


@dataclass(frozen=True, eq=False)
class _Before:
    """Samples of the parameters before an update."""

    names: Sequence[str]
    stacks: Sequence[Stack]
    reached: Mapping[int, Tensor]
    """By place, for tall matrices: 1 where a value of the sample has a gradient, 0 elsewhere."""


class Weights(Probe):
    """Copies a sample of each parameter before the update and compares it afterward."""

    def __init__(self) -> None:
        self._before: _Before | None = None

    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        """Write the norms and take samples."""
        with reckoning():
            names, weights = _weights(update)
            snapshot.add_all(WEIGHT_NORM, [(name, "") for name in names], norms(weights))
            names, weights = _matrices(names, weights)
            reached = _reached(weights)
            self._before = _Before(names, stacked(_samples(weights, reached)), reached)

    def update_ends(self, snapshot: Snapshot, update: Update) -> None:
        """Write how far the weights moved."""
        before, self._before = self._before, None
        if before is None:
            return
        with reckoning():
            names, weights = _matrices(*_weights(update))
            if names != before.names:
                return
            samples = _samples(weights, before.reached)
            for stack in before.stacks:
                ratios = _ratios(stack.rows, rows_of(samples, stack.places))
                snapshot.add_all(UPDATE_RATIO, [(names[index], "") for index in stack.places], ratios)


def _weights(update: Update) -> tuple[list[str], list[Tensor]]:
    names, weights = list(update.names), list(update.values)
    if are_plain(weights):
        return names, weights
    both = [(name, plain(weight)) for name, weight in zip(names, weights, strict=True)]
    named = [(name, weight) for name, weight in both if weight is not None]
    return [name for name, _ in named], [weight for _, weight in named]


def _matrices(names: list[str], weights: list[Tensor]) -> tuple[list[str], list[Tensor]]:
    """Those of at least two dimensions, or all if there are none."""
    places = [index for index, weight in enumerate(weights) if weight.dim() > 1]
    if not places:
        return names, weights
    return [names[index] for index in places], [weights[index] for index in places]


def _reached(weights: Sequence[Tensor]) -> dict[int, Tensor]:
    """Where the samples of tall matrices have a gradient, by the place of the matrix."""
    masks = {}
    for index, weight in enumerate(weights):
        if weight.dim() != 2 or weight.shape[0] < max(_TABLE_ROWS, 4 * weight.shape[1]):
            continue
        gradient = None if weight.grad is None else plain(weight.grad)
        if gradient is not None and gradient.stride() == weight.stride():
            masks[index] = (sample(gradient, _TABLE_LIMIT) != 0).to(weight.dtype)
    return masks


def _samples(weights: Sequence[Tensor], reached: Mapping[int, Tensor]) -> list[Tensor]:
    samples = [sample(weight) for weight in weights]
    for index, mask in reached.items():
        samples[index] = sample(weights[index], _TABLE_LIMIT) * mask
    return samples


def _ratios(before: Tensor, after: Tensor) -> Sequence[float | Tensor]:
    """Of each row the norm of the change over that of what was there."""
    sizes = torch.linalg.vector_norm(before, dim=1)
    changes = torch.linalg.vector_norm(after - before, dim=1)
    if not before.is_cpu:
        return numbers(torch.where(sizes > 0, changes / sizes, (changes > 0).to(sizes.dtype)))
    pairs = zip(changes.tolist(), sizes.tolist(), strict=True)
    return [change / size if size else float(change > 0) for change, size in pairs]
