"""The gradients of a step: their norms, their noise from step to step, and whether they are cleared.

Norms are exact, and of the gradients as the optimizer is about to use them: after clipping.

With g and h the gradients of two batches, g.h estimates the squared norm of the true gradient and
|g|^2 - g.h the noise of one batch. The noise scale is noise times batch size over the squared norm (the
simple noise scale of McCandlish et al., 2018, arXiv:1812.06162); where g.h is not positive it cannot be told.
Both are estimates from one pair: scattered, and meant to be read over many.

Whether gradients are cleared is watched at two small parameters of each optimizer that have one. A step
counts as cleared if their gradients were None or zero when any backward pass since the update before began:
that is the first one where gradients are accumulated, and a later one where another optimizer's backward
pass comes between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from math import isfinite, nan
from weakref import ref

import torch
from torch import Tensor

from traindx.facts import GRADIENTS_CLEARED
from traindx.quantities import GRADIENT_AGREEMENT, GRADIENT_NOISE_SCALE, GRADIENT_NORM, NONFINITE_SHARE
from traindx.recorder.probes.types import LiveParameter, Probe, Snapshot, Update
from traindx.recorder.tensors.access import gradient, gradients_of, reckoning
from traindx.recorder.tensors.sample import even_step, every, norms, number, sample


class Gradients(Probe):
    """Takes all norms together; of a gradient that is not finite also the share of such values."""

    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        """Write the norms."""
        with reckoning():
            gradients = gradients_of(update)
            sizes = norms(gradients.values)
            snapshot.add_all(GRADIENT_NORM, [(name, "") for name in gradients.names], sizes)
            for name, values, norm in zip(gradients.names, gradients.values, sizes, strict=True):
                if isinstance(norm, float) and not isfinite(norm):
                    snapshot.add(NONFINITE_SHARE, _nonfinite_share(values), layer=name, part="gradient")


def _nonfinite_share(values: Tensor) -> float:
    """From a sample; the norm has told that there is at least one."""
    share = float(torch.isfinite(sample(values)).logical_not().float().mean())
    return max(share, 1 / int(values.numel()))


_VALUES = 16_384
"""Values of the whole gradient that are compared: the cosine is right to 0.01."""
_OPTIMIZERS = 8
"""Optimizers of which something is kept until their next step."""


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
    gradients = [part for part in gradients if part.device == device]
    numels = tuple(map(Tensor.numel, gradients))
    return _Kept(step, update.batch_size, numels, _evenly(gradients, numels))


def _evenly(gradients: Sequence[Tensor], numels: tuple[int, ...]) -> Tensor:
    """Every n-th value of all gradients end to end, so that each value counts the same."""
    step = even_step(numels, _VALUES)
    if all(map(Tensor.is_contiguous, gradients)):
        views = [
            torch.as_strided(gradients[index], size, (step,), gradients[index].storage_offset() + first)
            for index, first, size in _picks(numels)
        ]
    else:
        views = [every(gradients[index], step, first) for index, first, _ in _picks(numels)]
    # Squares of vanishing gradients underflow in single precision; Apple's devices have no other.
    precise = torch.float32 if views[0].device.type == "mps" else torch.float64
    return torch.cat(views).to(precise)


@lru_cache(maxsize=64)
def _picks(numels: tuple[int, ...]) -> tuple[tuple[int, int, tuple[int]], ...]:
    """The gradients that have a value in the sample: place, first value, and how many of them as a shape."""
    step = even_step(numels, _VALUES)
    picks, position = [], 0
    for index, numel in enumerate(numels):
        first = -position % step
        if first < numel:
            picks.append((index, first, (-(-(numel - first) // step),)))
        position += numel
    return tuple(picks)


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


_WATCHED = 2
_CANDIDATES = 16
_READS = 8
"""How often gradients on a device are read in a run: each time waits for it, and a loop keeps its habits."""


@dataclass(eq=False)
class _Watch:
    """What is known about the loop around one optimizer since its last update."""

    parameters: Sequence[ref[Tensor]]
    asked: bool = False
    cleared: bool = False
    reads: int = 0


class ZeroGrad(Probe):
    """Looks at two small gradients when a backward pass begins, and counts when the optimizer steps."""

    follows = True

    def __init__(self) -> None:
        self._watches: dict[int, _Watch] = {}
        self._steps = 0
        self._cleared = 0
        self._stated: float | None = None

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """Look at the gradients that are still there."""
        for watch in self._watches.values():
            if not watch.cleared:
                _ask(watch)

    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        """Count the step, and see to it that parameters with a gradient are watched."""
        key = id(update.optimizer)
        watch = self._watches.get(key)
        if watch is None:
            if len(self._watches) < _OPTIMIZERS:
                self._watches[key] = _Watch(_small_parameters(update))
            return
        if watch.asked:
            self._steps += 1
            self._cleared += watch.cleared
            self._state(snapshot)
        watch.asked = watch.cleared = False
        if not all(_has_gradient(parameter()) for parameter in watch.parameters):
            watch.parameters = _small_parameters(update)

    def _state(self, snapshot: Snapshot) -> None:
        share = self._cleared / self._steps
        if share != self._stated:
            self._stated = share
            snapshot.state(GRADIENTS_CLEARED, share)


def _ask(watch: _Watch) -> None:
    """Note whether all watched gradients are None or zero."""
    slopes = [gradient(parameter) for reference in watch.parameters if (parameter := reference()) is not None]
    if not slopes:
        return
    left = [slope for slope in slopes if slope is not None]
    if not all(slope.is_cpu for slope in left):
        if watch.reads == _READS:
            return
        watch.reads += 1
    watch.asked = True
    watch.cleared = not any(bool(torch.count_nonzero(slope)) for slope in left)


def _small_parameters(update: Update) -> Sequence[ref[Tensor]]:
    """The smallest parameters that have a gradient."""
    smallest = nsmallest(_CANDIDATES, (parameter.value for parameter in update.parameters), key=Tensor.numel)
    return [ref(parameter) for parameter in smallest if _has_gradient(parameter)][:_WATCHED]


def _has_gradient(parameter: Tensor | None) -> bool:
    """Whether there is a gradient other than zero; one on a device is believed: reading it would wait."""
    slope = None if parameter is None else gradient(parameter)
    return slope is not None and (not slope.is_cpu or bool(torch.count_nonzero(slope)))
