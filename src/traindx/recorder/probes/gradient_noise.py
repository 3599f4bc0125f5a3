"""How much the gradients of two steps in a row agree, and the batch size at which their noise equals them.

With g and h the gradients of two batches, g.h estimates the squared norm of the true gradient and
|g|^2 - g.h the noise of one batch. The noise scale is noise times batch size over the squared norm (the
simple noise scale of McCandlish et al., 2018, arXiv:1812.06162); where g.h is not positive it cannot be told.
Both are estimates from one pair: scattered, and meant to be read over many.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, nan

import torch
from torch import Tensor

from traindx.quantities import GRADIENT_AGREEMENT, GRADIENT_NOISE_SCALE
from traindx.recorder.probes.types import Probe, Snapshot, Update
from traindx.recorder.tensors.access import gradients_of, reckoning
from traindx.recorder.tensors.sample import even_step, every, number

_VALUES = 16_384
"""Values of the whole gradient that are compared: the cosine is right to 0.01."""
_OPTIMIZERS = 8
"""Optimizers whose last gradient is kept."""


@dataclass(frozen=True, eq=False)
class _Kept:
    """A sample of the gradient of one step."""

    step: int
    batch_size: int
    numels: tuple[int, ...]
    values: Tensor


class GradientNoise(Probe):
    """Keeps a sample of the last gradient it looked at and compares the next one with it."""

    follows = True

    def __init__(self) -> None:
        """Begin without a gradient."""
        self._kept: dict[int, _Kept] = {}

    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        """Compare the gradient with the one of the step before, where that was looked at."""
        key = id(update.optimizer)
        before = self._kept.pop(key, None)
        with reckoning():
            now = _kept(snapshot.step, update)
            if now is None:
                return
            if len(self._kept) < _OPTIMIZERS:
                self._kept[key] = now
            if before is not None and now.step == before.step + 1 and now.numels == before.numels:
                _write(snapshot, before, now)


def _kept(step: int, update: Update) -> _Kept | None:
    gradients = gradients_of(update).values
    if not gradients:
        return None
    # A model spread over devices is judged by the part on the first.
    device = gradients[0].device
    gradients = [one for one in gradients if one.device == device]
    numels = tuple(map(Tensor.numel, gradients))
    return _Kept(step, update.batch_size, numels, _evenly(gradients, numels))


def _evenly(gradients: Sequence[Tensor], numels: tuple[int, ...]) -> Tensor:
    """Every n-th value of all gradients end to end, so that each value counts the same."""
    step = even_step(numels, _VALUES)
    if all(map(Tensor.is_contiguous, gradients)):
        views = [
            torch.as_strided(gradients[place], size, (step,), gradients[place].storage_offset() + first)
            for place, first, size in _picks(numels)
        ]
    else:
        views = [every(gradients[place], step, first) for place, first, _ in _picks(numels)]
    # Squares of vanishing gradients underflow in single precision; Apple's devices have no other.
    precise = torch.float32 if views[0].device.type == "mps" else torch.float64
    return torch.cat(views).to(precise)


@lru_cache(maxsize=64)
def _picks(numels: tuple[int, ...]) -> tuple[tuple[int, int, tuple[int]], ...]:
    """The gradients that have a value in the sample: place, first value, and how many of them as a shape."""
    step = even_step(numels, _VALUES)
    found, position = [], 0
    for place, numel in enumerate(numels):
        first = -position % step
        if first < numel:
            found.append((place, first, (-(-(numel - first) // step),)))
        position += numel
    return tuple(found)


def _write(snapshot: Snapshot, before: _Kept, now: _Kept) -> None:
    dot = number(torch.dot(before.values, now.values))
    square_before = number(torch.dot(before.values, before.values))
    square_now = number(torch.dot(now.values, now.values))
    squares = square_before * square_now
    # Numbers are judged here; tensors on a device are not, because that would wait for it.
    if isinstance(squares, float) and not (squares > 0 and isfinite(squares)):
        return
    snapshot.add(GRADIENT_AGREEMENT, dot / squares**0.5)
    if before.batch_size <= 0 or now.batch_size <= 0 or (isinstance(dot, float) and dot <= 0):
        return
    noise = ((square_before - dot) * before.batch_size + (square_now - dot) * now.batch_size) / 2
    scale = noise / dot
    snapshot.add(GRADIENT_NOISE_SCALE, scale if isinstance(dot, float) else torch.where(dot > 0, scale, nan))


PROBE = GradientNoise
