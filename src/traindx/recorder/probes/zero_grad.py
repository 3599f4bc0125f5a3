"""Whether the gradients of one step are cleared before those of the next are added to them.

Of each optimizer two small parameters that have a gradient are watched. A step counts as cleared if their
gradients were None or zero when any backward pass since the update before began: that is the first one where
gradients are accumulated, and a later one where another optimizer's backward pass comes between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest
from weakref import ref

import torch
from torch import Tensor

from traindx.facts import GRADIENTS_CLEARED
from traindx.recorder.probes.types import LiveParameter, Probe, Snapshot, Update
from traindx.recorder.tensors.access import gradient

_WATCHED = 2
_CANDIDATES = 16
_OPTIMIZERS = 8
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
        """Begin with nothing seen."""
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
        if not all(_has_gradient(one()) for one in watch.parameters):
            watch.parameters = _small_parameters(update)

    def _state(self, snapshot: Snapshot) -> None:
        share = self._cleared / self._steps
        if share != self._stated:
            self._stated = share
            snapshot.state(GRADIENTS_CLEARED, share)


def _ask(watch: _Watch) -> None:
    """Note whether all watched gradients are None or zero."""
    found = [gradient(parameter) for one in watch.parameters if (parameter := one()) is not None]
    if not found:
        return
    left = [one for one in found if one is not None]
    if not all(one.is_cpu for one in left):
        if watch.reads == _READS:
            return
        watch.reads += 1
    watch.asked = True
    watch.cleared = not any(bool(torch.count_nonzero(one)) for one in left)


def _small_parameters(update: Update) -> Sequence[ref[Tensor]]:
    """The smallest parameters that have a gradient."""
    smallest = nsmallest(_CANDIDATES, (one.value for one in update.parameters), key=Tensor.numel)
    return [ref(one) for one in smallest if _has_gradient(one)][:_WATCHED]


def _has_gradient(parameter: Tensor | None) -> bool:
    """Whether there is a gradient other than zero; one on a device is believed: reading it would wait."""
    found = None if parameter is None else gradient(parameter)
    return found is not None and (not found.is_cpu or bool(torch.count_nonzero(found)))


PROBE = ZeroGrad
