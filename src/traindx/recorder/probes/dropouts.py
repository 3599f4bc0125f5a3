"""Where dropouts stand that should stand elsewhere: right before the loss function, right after the input.

A dropout on the output sets predictions themselves to zero. It is found in the graph of the prediction, by
the sequence number of its last operation. One on the input is told by the memory it reads, which is that
of the batch. Neither keeps a tensor alive.
"""

import torch
from torch import Tensor

from traindx.facts import INPUT_DROPOUT, OUTPUT_DROPOUT
from traindx.recorder.graph.nodes import VIEWS, is_custom, operation_of
from traindx.recorder.probes.types import Batch, Dropout, LossCall, Probe, Purpose, Snapshot

_MOST = 4096
"""Dropouts of a step that are remembered."""
_LONGEST = 64
"""Operations between a dropout and the loss function."""
_AFTER_OUTPUT = VIEWS | frozenset("softmax log_softmax sigmoid log_sigmoid".split())
"""Operations after which predictions are still those that the dropout left."""


class Dropouts(Probe):
    """States what the input passed first and the predictions last."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
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
        found = [self._read.get(_memory(one), 0.0) for one in batch.tensors] if self._read else []
        self._input = max(self._input, *found, 0.0)
        snapshot.state(INPUT_DROPOUT, self._input)

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """State what the predictions passed last."""
        if call.purpose is not Purpose.TRAINING:
            return
        self._begin(snapshot)
        found = _last_of(call.prediction, self._made)
        if found is not None:
            self._output = max(self._output, found)
            snapshot.state(OUTPUT_DROPOUT, self._output)

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


PROBE = Dropouts
