"""How the model is built: what its input meets first, what bends between layers, where dropouts stand.

Two linear layers with nothing between that bends are one linear layer. The graph of the loss shows the
operations themselves, whether they are modules, functions or written by hand. What an activation does to
the output alone, right before the loss function, is left out: it gives the layers before it nothing.

A dropout on the output sets predictions themselves to zero. It is found in the graph of the prediction, by
the sequence number of its last operation. One on the input is told by the memory it reads, which is that
of the batch. Neither keeps a tensor alive.
"""

import weakref
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from traindx import facts as f
from traindx.recorder.graph.linearity import linearity
from traindx.recorder.graph.nodes import VIEWS, is_custom, operation_of
from traindx.recorder.probes.types import (
    Batch,
    Dropout,
    LiveParameter,
    LossCall,
    Probe,
    Purpose,
    Returned,
    Snapshot,
)

_NORMALIZING = ("BatchNorm", "LayerNorm", "InstanceNorm", "GroupNorm", "RMSNorm", "Normalization")
"""Parts of the names of classes, of torch, of Keras and of others: some have no parameters."""
_LOOKS = 8
"""After which every model of the program has been seen."""


class FirstLayer(Probe):
    """Reads the order of modules when a model is first seen: outputs of known ones may be told later."""

    def __init__(self) -> None:
        # By identity: a module of the program's own may compare or hash as it likes.
        self._seen: dict[int, weakref.ref[nn.Module]] = {}
        self._step = self._looks = 0

    def module_returns(
        self, snapshot: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """State what the first module is that normalizes or has parameters."""
        if self._looks > _LOOKS or purpose is not Purpose.TRAINING:
            return
        normalizes = any(word in type(module).__name__ for word in _NORMALIZING)
        if not normalizes and not any(parameter is not None for parameter in module._parameters.values()):
            return
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._looks += 1
            if not self._knows(module):
                snapshot.state(f.FIRST_LAYER_NORMALIZES, normalizes)
        self._seen[id(module)] = weakref.ref(module)

    def modules_returned(self, snapshot: Snapshot, returned: Returned, purpose: Purpose) -> None:
        """What waited has been seen before."""

    def _knows(self, module: nn.Module) -> bool:
        known = self._seen.get(id(module))
        return known is not None and known() is module


_MODEL_LOOKS = 4
"""After which the model is known: two for each of two that take turns."""
_FRUITLESS = 3
"""Looks without a graph that can be read after which none is searched."""
_MOST_NAMES = 32
_MOST_PREDICTIONS = 16


class Nonlinearities(Probe):
    """Reads the graph of the loss at the first looks."""

    def __init__(self) -> None:
        self._looks = self._fruitless = 0
        self._step = 0
        self._predictions: list[int] = []
        """Sequence numbers of the nodes that made the predictions: numbers keep no graph alive."""
        self._narrow: dict[str, None] = {}
        """Of all networks that were looked at."""

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Remember where the model ends."""
        if self._is_done or call.purpose is not Purpose.TRAINING:
            return
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._predictions.clear()
        node = call.prediction.grad_fn
        if node is not None and len(self._predictions) < _MOST_PREDICTIONS:
            self._predictions.append(node._sequence_nr())

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """State what the graph shows."""
        if self._is_done:
            return
        names = {id(parameter.value): parameter.name for parameter in parameters}
        node = loss.grad_fn
        structure = None if node is None else linearity(node, self._predictions, names)
        self._predictions.clear()
        if structure is None or not structure.layers:
            self._fruitless += 1
            return
        self._looks += 1
        snapshot.state(f.LINEAR_LAYERS, structure.layers)
        snapshot.state(f.NONLINEARITIES, structure.bends)
        snapshot.state(f.LINEAR_IN_A_ROW, ", ".join(structure.in_a_row[:_MOST_NAMES]))
        self._narrow |= dict.fromkeys(structure.narrow)
        snapshot.state(f.NARROW_LAYERS, ", ".join(self._narrow))

    @property
    def _is_done(self) -> bool:
        return self._looks >= _MODEL_LOOKS or self._fruitless >= _FRUITLESS


_MOST = 4096
"""Dropouts of a step that are remembered."""
_LONGEST = 64
"""Operations between a dropout and the loss function."""
_AFTER_OUTPUT = VIEWS | frozenset("softmax log_softmax sigmoid log_sigmoid".split())
"""Operations after which predictions are still those that the dropout left."""


class Dropouts(Probe):
    """States what the input passed first and the predictions last."""

    def __init__(self) -> None:
        self._step = 0
        self._made: dict[int, float] = {}
        """Probabilities by the sequence number of the node that gave the output."""
        self._read: dict[int, float] = {}
        """Probabilities by the memory of values that no trained parameter has touched."""
        self._input = self._output = 0.0

    def dropout_is_applied(self, snapshot: Snapshot, dropout: Dropout) -> None:
        """Remember where it stands."""
        self._begin(snapshot)
        node = dropout.output.grad_fn
        memory = _memory(dropout.given) if node is None else 0
        if node is not None and len(self._made) < _MOST:
            self._made[node._sequence_nr()] = dropout.probability
        elif memory and len(self._read) < _MOST:
            self._read.setdefault(memory, dropout.probability)

    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        """State what the input passed first."""
        if batch.purpose is not Purpose.TRAINING:
            return
        self._begin(snapshot)
        reads = [self._read.get(_memory(tensor), 0.0) for tensor in batch.tensors] if self._read else []
        self._input = max(self._input, *reads, 0.0)
        snapshot.state(f.INPUT_DROPOUT, self._input)

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """State what the predictions passed last."""
        if call.purpose is not Purpose.TRAINING:
            return
        self._begin(snapshot)
        order = _last_of(call.prediction, self._made)
        if order is not None:
            self._output = max(self._output, order)
            snapshot.state(f.OUTPUT_DROPOUT, self._output)

    def _begin(self, snapshot: Snapshot) -> None:
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._made.clear()
            self._read.clear()


def _memory(values: Tensor) -> int:
    """Where the values lie; 0 where that cannot be told."""
    if type(values) not in (Tensor, torch.nn.Parameter) or values.layout is not torch.strided:
        return 0
    return int(values.untyped_storage().data_ptr())


def _last_of(prediction: Tensor, made: dict[int, float]) -> float | None:
    """The probability of the dropout that the prediction came out of, 0 for none, None where it is hidden."""
    node = prediction.grad_fn
    for _ in range(_LONGEST):
        if node is None or is_custom(node):
            return None
        if node._sequence_nr() in made:
            return made[node._sequence_nr()]
        if operation_of(node) not in _AFTER_OUTPUT or not node.next_functions:
            return 0.0
        node = node.next_functions[0][0]
    return 0.0
