"""Units of a layer that are of no use: those that rest at zero, and those with the same weights as another.

A dead unit was exactly zero for every input looked at since long. Watched are modules that give zero over a
range of inputs. Units are the channels where the layer before counts them in the second dimension, as
convolutions do, and the last dimension elsewhere.

Units with the same weights compute the same, get the same gradient, and stay the same. There a unit is a
row of a weight, or of the last dimension of a Keras kernel. Of a large weight some units are compared, by a
few of their inputs; where those agree, by all: most values of an identity are zeros.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from traindx.quantities import DEAD_UNIT_SHARE, EQUAL_UNIT_SHARE
from traindx.recorder.probes.types import LiveParameter, Probe, Purpose, Returned, Snapshot, Update
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

    def modules_returned(self, snapshot: Snapshot, returned: Returned, purpose: Purpose) -> None:
        """Look at the units of several activations at once."""
        if purpose is not Purpose.TRAINING:
            return
        self._follow(snapshot)
        names, modules, outputs = returned
        places = [index for index, module in enumerate(modules) if type(module) in CAN_REST]
        if self._settled or not are_plain([outputs[index] for index in places]):
            return
        alike: dict[tuple[int, torch.Size, torch.dtype, torch.device], list[int]] = {}
        for index in places:
            output = outputs[index]
            kind = (self._axes.get(names[index], -1), output.shape, output.dtype, output.device)
            alike.setdefault(kind, []).append(index)
        with reckoning():
            for (axis, *_), some in alike.items():
                layers = [names[index] for index in some]
                self._watches.look_at_all(layers, [outputs[index] for index in some], axis)

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


_AT_FIRST, _EVERY = 3, 8
"""Looks at which units are compared: equal ones are so from the start, or not at all."""
_UNITS, _FEW, _INPUTS = 64, 16, 4096
"""Units of each weight, and inputs of each unit, at a glance and at most."""
_WEIGHTS = 512
"""Weights that are looked at."""
_UNITS_LAST = ("kernel", "recurrent_kernel", "depthwise_kernel", "pointwise_kernel")
"""What Keras calls weights whose last dimension counts units."""


class EqualUnits(Probe):
    """Compares the units of each weight with each other."""

    def __init__(self) -> None:
        self._looks: dict[str, int] = {}
        """By the first parameter of what an optimizer holds: several take turns."""

    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        """Write the share of units that equal another."""
        if not update.parameters:
            return
        first = update.names[0]
        looks = self._looks[first] = self._looks.get(first, 0) + 1
        if looks > _AT_FIRST and looks % _EVERY:
            return
        shares = equal_shares(update)
        snapshot.add_all(EQUAL_UNIT_SHARE, [(name, "") for name, _ in shares], [share for _, share in shares])


def equal_shares(update: Update) -> list[tuple[str, float]]:
    """Of each weight the share of units that equal another."""
    with reckoning():
        return [(name, _equal_share(units)) for name, units in _matrices(update)]


def _matrices(update: Update) -> Iterator[tuple[str, Tensor]]:
    """Weights by name, their units first."""
    left = _WEIGHTS
    for name, value in zip(update.names, update.values, strict=True):
        weight = plain(value)
        if weight is None or weight.dim() < 2 or not left:
            continue
        own = name.rpartition(".")[2]
        if own.startswith(_UNITS_LAST):
            weight = weight.movedim(-1, 0)
        if weight.shape[0] > 1:
            left -= 1
            yield name, weight


def _equal_share(units: Tensor) -> float:
    step = -(-units.shape[0] // _UNITS)
    rows = units[::step].flatten(1)
    equal = _equal_rows(rows[:, :_FEW])
    if equal and rows.shape[1] > _FEW:
        equal = _equal_rows(rows[:, :: -(-rows.shape[1] // _INPUTS)])
    return equal / len(rows)


def _equal_rows(rows: Tensor) -> int:
    """Rows that have the bits of another."""
    bits = rows.cpu().contiguous().view(torch.uint8).numpy()
    counts = Counter(row.tobytes() for row in bits)
    return sum(count for count in counts.values() if count > 1)
