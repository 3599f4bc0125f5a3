"""The share of units that have rested at exactly zero for every input looked at since long.

Watched are modules that give zero over a range of inputs. Units are the channels where the layer before
counts them in the second dimension, as convolutions do, and the last dimension elsewhere.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from traindx.quantities import DEAD_UNIT_SHARE
from traindx.recorder.probes.types import LiveParameter, Probe, Purpose, Snapshot, Update
from traindx.recorder.tensors.access import are_plain, plain, reckoning
from traindx.recorder.tensors.unit_watch import UnitWatches

CAN_REST = frozenset(
    (nn.ReLU, nn.ReLU6, nn.Threshold, nn.Hardtanh, nn.Hardswish, nn.Hardshrink, nn.Softshrink, nn.GELU)
)
"""GELU underflows to zero where its input is far below zero."""
_CHANNELS_FIRST = (nn.modules.conv._ConvNd, nn.modules.batchnorm._NormBase, nn.GroupNorm)
_CHANNELS_LAST = (nn.Linear, nn.Bilinear, nn.LayerNorm, nn.Embedding, nn.RNNBase)


class DeadUnits(Probe):
    """Watches the units of every activation module over the looks."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._watches = UnitWatches()
        self._step = 0
        self._settled = False
        self._channels_first: bool | None = None
        """Whether the layer that last settled it counts channels in the second dimension."""
        self._layouts: dict[type[nn.Module], bool | None] = {}
        self._axes: dict[str, int] = {}
        """Where the units of a module lie, from the order in which modules were called one by one."""

    def module_returns(
        self, snapshot: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """Look at the units of an activation; of several batches behind one step, at the first."""
        if purpose is not Purpose.TRAINING:
            return
        self._follow(snapshot)
        kind = type(module)
        if kind not in CAN_REST:
            layout = self._layout(kind)
            self._channels_first = self._channels_first if layout is None else layout
            return
        readable = plain(output)
        if readable is not None and not self._settled:
            axis = self._axes[name] = self._axis(output)
            self._watches.snapshot(name, "", readable.detach(), axis)

    def modules_returned(
        self,
        snapshot: Snapshot,
        names: Sequence[str],
        modules: Sequence[nn.Module],
        outputs: Sequence[Tensor],
        purpose: Purpose,
    ) -> None:
        """Look at the units of several activations at once."""
        if purpose is not Purpose.TRAINING:
            return
        self._follow(snapshot)
        places = [place for place, module in enumerate(modules) if type(module) in CAN_REST]
        if self._settled or not are_plain([outputs[place] for place in places]):
            return
        alike: dict[tuple[int, torch.Size, torch.dtype, torch.device], list[int]] = {}
        for place in places:
            output = outputs[place]
            kind = (self._axes.get(names[place], -1), output.shape, output.dtype, output.device)
            alike.setdefault(kind, []).append(place)
        with reckoning():
            for (axis, *_), some in alike.items():
                layers = [names[place] for place in some]
                self._watches.look_at_all(layers, [outputs[place] for place in some], axis)

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """Write the shares."""
        with reckoning():
            shares = self._watches.settle()
        where = [(layer, part) for layer, part, _ in shares]
        snapshot.add_all(DEAD_UNIT_SHARE, where, [share for _, _, share in shares])
        self._settled = True

    def update_ends(self, snapshot: Snapshot, update: Update) -> None:
        """Begin anew: the next look may be at the step of the same number of another optimizer."""
        self._settled = False

    def _follow(self, snapshot: Snapshot) -> None:
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._settled = False
            self._channels_first = None

    def _layout(self, kind: type[nn.Module]) -> bool | None:
        if kind not in self._layouts:
            settles = issubclass(kind, _CHANNELS_FIRST + _CHANNELS_LAST)
            self._layouts[kind] = issubclass(kind, _CHANNELS_FIRST) if settles else None
        return self._layouts[kind]

    def _axis(self, output: Tensor) -> int:
        first = output.dim() > 3 if self._channels_first is None else self._channels_first
        return 1 if first else -1


PROBE = DeadUnits
