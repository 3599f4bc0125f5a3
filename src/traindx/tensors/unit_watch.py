"""Which units of a layer have been zero for every input since long.

A unit is dead when it was exactly zero for every input looked at, over at least 5 looks and 256 inputs in a
row. Zero in one batch is normal: a sparse unit waits for its inputs.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from traindx.tensors.stack import numbers

_LOOKS = 5
_INPUTS = 256
_VALUES = 65_536
"""Values read of one layer at one look: what a wide one costs is bounded."""
_SAMPLES = 64
"""Entries of a batch that are read, where there is more than one position in each."""
_WIDEST = 32_768
"""Units beyond which a layer is not watched: the outputs of a large vocabulary."""
_LAYERS = 4096
"""Layers that are watched at most."""

Key = tuple[str, str]
"""Layer and part."""


class DeadShare(NamedTuple):
    """The share of a layer's units that are dead."""

    layer: str
    part: str
    share: float | Tensor


class UnitWatches:
    """The watches over the layers of a model."""

    def __init__(self) -> None:
        """Begin without any."""
        self._watches: dict[Key, _Watch] = {}
        self._peaks: dict[Key, Tensor] = {}

    def look(self, layer: str, part: str, output: Tensor, axis: int) -> None:
        """Take an output in, with its units along `axis`; the first of a layer counts until it is settled."""
        key = (layer, part)
        if key in self._peaks or output.dim() < 2 or output.shape[axis] > _WIDEST:
            return
        watch = self._watches.get(key)
        if watch is None or not watch.fits(output.shape[axis], output.device):
            if watch is None and len(self._watches) == _LAYERS:
                return
            watch = self._watches[key] = _Watch(output.shape[axis], output.device)
        values = _spread(output, axis, watch.looks)
        watch.take_in(values.shape[0])
        self._peaks[key] = values.abs().amax(0)

    def settle(self) -> list[DeadShare]:
        """The shares of dead units of the layers taken in, of those that had enough looks."""
        groups: dict[_Alike, list[Key]] = {}
        for key, peaks in self._peaks.items():
            watch = self._watches[key]
            alike = _Alike(peaks.shape[0], peaks.dtype, peaks.device, watch.looks, watch.horizon)
            groups.setdefault(alike, []).append(key)
        found = [share for alike, keys in groups.items() for share in self._settled(alike, keys)]
        self._peaks.clear()
        return found

    def _settled(self, alike: "_Alike", keys: Sequence[Key]) -> list[DeadShare]:
        watches = [self._watches[key] for key in keys]
        peaks = torch.stack([self._peaks[key] for key in keys])
        last = torch.stack([watch.last_at_work for watch in watches])
        last = torch.where(peaks != 0, float(alike.looks), last)
        for watch, row in zip(watches, last.unbind(), strict=True):
            watch.last_at_work = row
        if alike.horizon < 0:
            return []
        shares = numbers(torch.le(last, alike.horizon, out=torch.empty_like(last)).mean(1))
        return [DeadShare(*key, share) for key, share in zip(keys, shares, strict=True)]


class _Alike(NamedTuple):
    """What layers must share to be settled together."""

    units: int
    dtype: torch.dtype
    device: torch.device
    looks: int
    horizon: int


class _Watch:
    """When each unit of one layer was last seen at work."""

    def __init__(self, units: int, device: torch.device) -> None:
        """Begin with every unit unseen."""
        self.last_at_work = torch.zeros(units, device=device)
        self.looks = 0
        self.horizon = -1
        """A unit last seen at work at this look or before is dead; -1 while there were too few looks."""
        self._inputs = 0
        self._marks = deque([(0, 0)])

    def fits(self, units: int, device: torch.device) -> bool:
        """Whether these are the units that are watched."""
        return self.last_at_work.shape[0] == units and bool(self.last_at_work.device == device)

    def take_in(self, inputs: int) -> None:
        """Count a look and move the horizon up."""
        self.looks += 1
        self._inputs += inputs
        self._marks.append((self.looks, self._inputs))
        while self._is_long_ago(*self._marks[0]):
            self.horizon = self._marks.popleft()[0]

    def _is_long_ago(self, look: int, inputs: int) -> bool:
        return self.looks - look >= _LOOKS and self._inputs - inputs >= _INPUTS


def _spread(output: Tensor, axis: int, turn: int) -> Tensor:
    """Some rows of all units, spread over the batch and the positions, at other positions each turn."""
    units = output.shape[axis]
    rows = max(1, min(_INPUTS, _VALUES // units))
    if output.dim() == 2:
        return output if output.shape[0] <= rows else output[_slice(output.shape[0], rows, turn)]
    sizes = list(output.shape)
    del sizes[axis]
    samples = min(sizes[0], _SAMPLES, rows)
    positions = int((rows / samples) ** (1 / (len(sizes) - 1)))
    slices = [_slice(size, positions if place else samples, turn) for place, size in enumerate(sizes)]
    slices.insert(axis if axis >= 0 else output.dim(), slice(None))
    return output[tuple(slices)].movedim(axis, -1).reshape(-1, units)


def _slice(size: int, keep: int, turn: int) -> slice:
    step = -(-size // keep)
    return slice(turn % step, None, step)
