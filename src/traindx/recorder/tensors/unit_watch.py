"""Which units of a layer have been zero for every input since long.

A unit is dead when it was exactly zero for every input looked at, over at least 5 looks and 256 inputs in a
row. Zero in one batch is normal: a sparse unit waits for its inputs.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from traindx.recorder.tensors.sample import numbers

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
        self._watches: dict[Key, _Watch] = {}
        self._looked: list[_Looked] = []
        self._keys: set[Key] = set()

    def snapshot(self, layer: str, part: str, output: Tensor, axis: int) -> None:
        """Take an output in, with its units along `axis`; the first of a layer counts until it is settled."""
        self._look((layer, part), output, axis, together=False)

    def look_at_all(self, layers: Sequence[str], outputs: Sequence[Tensor], axis: int) -> None:
        """Take outputs of several layers in, all of one shape and type."""
        keys = tuple((layer, "") for layer in layers)
        watch = self._watches.get(keys[0])
        fits = watch is not None and watch.fits(outputs[0], axis)
        if watch is None or not fits or watch.keys != keys or not self._keys.isdisjoint(keys):
            for key, output in zip(keys, outputs, strict=True):
                self._look(key, output, axis, together=True)
            return
        self._keys.update(keys)
        values = _spread(torch.stack(outputs), axis, watch.looks)
        self._looked.append(_Looked(keys, watch, values.shape[1], _at_work(values), together=True))

    def settle(self) -> list[DeadShare]:
        """The shares of dead units of the layers taken in, of those that had enough looks."""
        alike: dict[tuple[object, ...], list[_Looked]] = {}
        for snapshot in self._looked:
            kind = (
                snapshot.watch,
                snapshot.inputs,
                snapshot.at_work.shape[1],
                snapshot.at_work.device,
                snapshot.together,
            )
            alike.setdefault(kind, []).append(snapshot)
        self._looked.clear()
        self._keys.clear()
        dead: list[DeadShare] = []
        for some in alike.values():
            keys = tuple(key for snapshot in some for key in snapshot.keys)
            at_work = (
                some[0].at_work if len(some) == 1 else torch.cat([snapshot.at_work for snapshot in some])
            )
            watch = self._watch_over(keys, some[0].watch, at_work)
            watch.take_in(some[0].inputs, at_work)
            if watch.horizon >= 0:
                shares = numbers(watch.shares())
                dead += [DeadShare(*key, share) for key, share in zip(keys, shares, strict=True)]
        return dead

    def _look(self, key: Key, output: Tensor, axis: int, *, together: bool) -> None:
        if key in self._keys or output.dim() < 2 or output.shape[axis] > _WIDEST:
            return
        watch = self._watches.get(key)
        if watch is None and max(len(self._watches), len(self._keys)) >= _LAYERS:
            return
        watch = watch if watch is not None and watch.fits(output, axis) else None
        self._keys.add(key)
        values = _spread(output.unsqueeze(0), axis, watch.looks if watch else 0)
        self._looked.append(_Looked((key,), watch, values.shape[1], _at_work(values), together))

    def _watch_over(self, keys: tuple[Key, ...], watch: "_Watch | None", at_work: Tensor) -> "_Watch":
        """The watch over just these layers, which one watch had among others, or none."""
        if watch is not None and watch.keys == keys:
            return watch
        if watch is None:
            mine = _Watch(keys, torch.zeros(at_work.shape, device=at_work.device))
        else:
            mine = watch.part(keys)
        self._watches.update(dict.fromkeys(keys, mine))
        left = tuple(key for key in watch.keys if self._watches[key] is watch) if watch else ()
        if watch is not None and left:
            self._watches.update(dict.fromkeys(left, watch.part(left)))
        return mine


class _Watch:
    """When each unit of some layers was last seen at work, of layers that were always looked at together."""

    def __init__(self, keys: tuple[Key, ...], last_at_work: Tensor) -> None:
        self.keys = keys
        self.looks = 0
        self.horizon = -1
        """A unit last seen at work at this look or before is dead; -1 while there were too few looks."""
        self._last_at_work = last_at_work
        """One layer per row."""
        self._inputs = 0
        self._marks = deque([(0, 0)])

    def fits(self, output: Tensor, axis: int) -> bool:
        """Whether these are the units that are watched."""
        last = self._last_at_work
        return bool(last.shape[1] == output.shape[axis] and last.device == output.device)

    def part(self, keys: tuple[Key, ...]) -> "_Watch":
        """A watch over some of the layers that goes on where this one stands."""
        rows = {key: row for row, key in enumerate(self.keys)}
        part = _Watch(keys, torch.stack([self._last_at_work[rows[key]] for key in keys]))
        part.looks, part.horizon, part._inputs = self.looks, self.horizon, self._inputs
        part._marks = self._marks.copy()
        return part

    def take_in(self, inputs: int, at_work: Tensor) -> None:
        """Take a look in and move the horizon up."""
        self.looks += 1
        self._inputs += inputs
        self._marks.append((self.looks, self._inputs))
        while self._is_long_ago(*self._marks[0]):
            self.horizon = self._marks.popleft()[0]
        self._last_at_work.masked_fill_(at_work, float(self.looks))

    def shares(self) -> Tensor:
        """The share of dead units of each layer."""
        last = self._last_at_work
        return torch.le(last, self.horizon, out=torch.empty_like(last)).mean(1)

    def _is_long_ago(self, snapshot: int, inputs: int) -> bool:
        return self.looks - snapshot >= _LOOKS and self._inputs - inputs >= _INPUTS


class _Looked(NamedTuple):
    """What one look showed of some layers."""

    keys: tuple[Key, ...]
    watch: _Watch | None
    """The one that has watched them so far."""
    inputs: int
    at_work: Tensor
    """Per layer, whether each unit was other than zero for any input."""
    together: bool
    """Whether the layers may be looked at by one operation the next time."""


def _at_work(values: Tensor) -> Tensor:
    # Not a number is other than zero.
    return torch.logical_or(values.amax(1), values.amin(1))


def _spread(outputs: Tensor, axis: int, turn: int) -> Tensor:
    """Some rows of all units per output, spread over batch and positions, at other positions each turn."""
    shape = outputs.shape[1:]
    units = shape[axis]
    rows = max(1, min(_INPUTS, _VALUES // units))
    if len(shape) == 2:
        return outputs if shape[0] <= rows else outputs[:, _slice(shape[0], rows, turn)]
    sizes = list(shape)
    del sizes[axis]
    samples = min(sizes[0], _SAMPLES, rows)
    positions = int((rows / samples) ** (1 / (len(sizes) - 1)))
    slices = [_slice(size, positions if index else samples, turn) for index, size in enumerate(sizes)]
    slices.insert(axis if axis >= 0 else len(shape), slice(None))
    return outputs[(slice(None), *slices)].movedim(axis % len(shape) + 1, -1).flatten(1, -2)


def _slice(size: int, keep: int, turn: int) -> slice:
    step = -(-size // keep)
    return slice(turn % step, None, step)
