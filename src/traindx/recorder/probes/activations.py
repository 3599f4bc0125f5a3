"""What activations put out: of modules and of functions such as F.relu.

F.relu(self.fc1(x)) calls one module. The graph of the loss holds the result for the backward pass, and leads
from it to the parameters that were used last before, which lend it the name of their layer: it is the part
"relu" of the layer `fc1`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from torch import Tensor, nn
from torch.autograd.graph import Node

from traindx.facts import GATES
from traindx.quantities import DEAD_UNIT_SHARE
from traindx.recorder.graph.gates import Gates
from traindx.recorder.graph.nodes import nodes_behind, operands, operation_of, saved_value
from traindx.recorder.graph.origin import own_layer
from traindx.recorder.probes.types import LiveParameter, Probe, Purpose, Returned, Snapshot, Update
from traindx.recorder.tensors.access import are_whole, plain, reckoning
from traindx.recorder.tensors.activation import (
    SIGMOID,
    TANH,
    Activation,
    ActivationRows,
    ActivationWriter,
    activation,
    flat_ends,
    samples_of,
    together,
)
from traindx.recorder.tensors.unit_watch import UnitWatches

_MOST = 4096
"""Samples of one step: what is held until the backward pass is at most 16 MB."""


class Activations(Probe):
    """Samples every output as it is made and reckons all of them at once when the backward pass begins."""

    def __init__(self) -> None:
        self._writer = ActivationWriter()
        self._step = 0
        self._seen: set[str] = set()
        self._alone: list[Activation] = []
        self._together: list[ActivationRows] = []
        self._written = False

    def module_returns(
        self, snapshot: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """Take a sample; of several batches behind one step, of the first."""
        self._follow(snapshot)
        if self._written or name in self._seen or purpose is not Purpose.TRAINING:
            return
        readable = plain(output)
        if readable is not None and output.dim() and len(self._seen) < _MOST:
            self._seen.add(name)
            self._alone.append(activation(name, "", readable, flat_ends(module)))

    def modules_returned(self, snapshot: Snapshot, returned: Returned, purpose: Purpose) -> None:
        """Take samples of all at once."""
        self._follow(snapshot)
        names, modules, outputs = returned
        fresh = self._seen.isdisjoint(names) and len(self._seen) + len(names) <= _MOST
        if not fresh or not are_whole(outputs):
            super().modules_returned(snapshot, returned, purpose)
        elif not self._written and purpose is Purpose.TRAINING:
            self._seen.update(names)
            with reckoning():
                self._together += samples_of(names, modules, outputs)

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """Write what the forward pass has shown."""
        self._writer.write(snapshot, [*together(self._alone), *self._together])
        self._clear()
        self._written = True

    def update_ends(self, snapshot: Snapshot, update: Update) -> None:
        """Begin anew: the next look may be at the step of the same number of another optimizer."""
        self._written = False

    def _follow(self, snapshot: Snapshot) -> None:
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._written = False
            self._clear()

    def _clear(self) -> None:
        self._seen.clear()
        self._alone.clear()
        self._together.clear()


_MODULES = frozenset((nn.ReLU, nn.Tanh, nn.Sigmoid))
_ENDS = {"relu": None, "tanh": TANH, "sigmoid": SIGMOID}
"""Functions whose result the graph keeps, and where they are flat."""
_CHANNELS_FIRST = {
    **dict.fromkeys(("conv", "batch_norm", "group_norm"), True),
    **dict.fromkeys(("addmm", "mm", "bmm", "linear", "layer_norm", "embedding"), False),
}
"""Whether the result of an operation counts channels in the second dimension; others keep the order."""
_CALLS = 4
"""Activations of one kind behind one layer that are recorded in a step."""
_FRUITLESS = 3
"""Looks without such an activation after which the graph is searched no more."""


@dataclass(frozen=True, eq=False)
class _Saved:
    """The result of an activation function."""

    layer: str
    """The layer whose output the function was applied to."""
    kind: str
    """relu, tanh or sigmoid."""
    output: Tensor
    channels_first: bool
    """Whether that layer counts channels in the second dimension."""
    scales: bool = False
    """Whether it is a gate: it may be at its ends."""


@dataclass(frozen=True)
class _User:
    """The operation that used parameters last."""

    order: int
    layer: str
    channels_first: bool


class FunctionalActivations(Probe):
    """Finds them in the graph of the loss before it is used up."""

    def __init__(self) -> None:
        self._writer = ActivationWriter()
        self._watches = UnitWatches()
        self._step = 0
        self._of_modules: dict[int, str] = {}
        """Where the outputs of activation modules lie: the graph keeps them, so that no other lies there."""
        self._gates: dict[str, None] = {}
        """Modules that turned out to be gates."""
        self._fruitless = 0

    def module_returns(
        self, snapshot: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """Remember the activations that are modules."""
        if type(module) not in _MODULES or purpose is not Purpose.TRAINING or self._fruitless == _FRUITLESS:
            return
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._of_modules.clear()
        readable = plain(output)
        if readable is not None:
            self._of_modules[readable.data_ptr()] = name

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """Write those that are not."""
        if self._fruitless == _FRUITLESS or not parameters:
            return
        names = {id(parameter.value): parameter.name for parameter in parameters}
        with reckoning():
            gates = Gates()
            saved = list(_saved_activations(loss, names, gates))
            functional = [entry for entry in saved if entry.output.data_ptr() not in self._of_modules]
            self._fruitless = 0 if functional else self._fruitless + 1
            scaling = gates.outputs
            self._write(
                snapshot, [replace(entry, scales=entry.output.data_ptr() in scaling) for entry in functional]
            )
        self._gates |= {name: None for index, name in self._of_modules.items() if index in scaling}
        if self._gates:
            snapshot.state(GATES, ", ".join(self._gates))
        self._of_modules.clear()

    def _write(self, snapshot: Snapshot, activations: Iterable[_Saved]) -> None:
        samples = []
        calls: dict[tuple[str, str], int] = {}
        for saved in activations:
            call = calls[saved.layer, saved.kind] = calls.get((saved.layer, saved.kind), 0) + 1
            if call > _CALLS:
                continue
            part = saved.kind if call == 1 else f"{saved.kind} {call}"
            samples.append(
                activation(saved.layer, part, saved.output, None if saved.scales else _ENDS[saved.kind])
            )
            if saved.kind == "relu":
                self._watches.snapshot(saved.layer, part, saved.output, 1 if saved.channels_first else -1)
        self._writer.write(snapshot, together(samples))
        for layer, part, share in self._watches.settle():
            snapshot.add(DEAD_UNIT_SHARE, share, layer=layer, part=part)


def _saved_activations(loss: Tensor, names: Mapping[int, str], gates: Gates) -> Iterator[_Saved]:
    """Every activation in the graph of a loss, in forward order; `names` has the parameters by their id."""
    if loss.grad_fn is None:
        return
    users: dict[Node, _User] = {}
    for node in nodes_behind(loss.grad_fn):
        gates.add(node)
        kind = operation_of(node)
        own = own_layer(node, names)
        if own is not None:
            user: _User | None = _User(node._sequence_nr(), own, channels_first=False)
        else:
            saved_by = [users[operand] for operand in operands(node) if operand in users]
            user = max(saved_by, key=lambda candidate: candidate.order, default=None)
        if user is None:
            continue
        first = _CHANNELS_FIRST.get(kind, user.channels_first)
        users[node] = user if first is user.channels_first else replace(user, channels_first=first)
        kept = saved_value(node, "result") if kind in _ENDS else None
        output = plain(kept) if isinstance(kept, Tensor) else None
        if output is not None:
            yield _Saved(user.layer, kind, output.detach(), user.channels_first)
