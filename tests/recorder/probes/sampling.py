"""Asking one probe about one batch or one loss."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from traindx.recorder.probes.types import Batch, LossCall, Probe, Purpose
from traindx.run import Fact, Quantity, Scalar
from traindx.testing.probe import Written

TRAINING, VALIDATION = Purpose.TRAINING, Purpose.VALIDATION

Numbers = dict[Quantity, float]


def numbers(snapshot: Written, part: str = "") -> Numbers:
    """What was written under a part."""
    return {quantity: float(value) for (quantity, _, of), value in snapshot.numbers.items() if of == part}


def seen(
    probe: Probe, *tensors: Tensor, purpose: Purpose = TRAINING, number: int = 1, step: int = 1
) -> Numbers:
    """What a probe writes about a batch."""
    snapshot = Written(step)
    probe.batch_enters(snapshot, Batch(tensors, purpose, number))
    if purpose is TRAINING:
        return numbers(snapshot)
    # Rows of the training set that are evaluated are told apart.
    return numbers(snapshot, "training") | numbers(snapshot, "validation")


class Loop:
    """A training loop reduced to its losses, for a probe that looks at them."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.step = 0
        self.facts: dict[Fact, Scalar] = {}

    def loss(
        self,
        function: str,
        prediction: Tensor,
        target: Tensor,
        *,
        purpose: Purpose = TRAINING,
        inputs: Sequence[Tensor] | None = None,
        backward: bool = True,
        options: Mapping[str, object] | None = None,
    ) -> Numbers:
        """What is written about one loss; the batch has as many rows as the target unless it is given."""
        options = options or {}
        self.step += backward
        snapshot = Written(self.step)
        rows = target.shape[0] if target.dim() else 1
        self.probe.batch_enters(snapshot, Batch(inputs or [torch.zeros(rows, 3)], purpose, self.step))
        torch_function = getattr(functional, function, None)
        value = torch_function(prediction, target, **options) if torch_function else torch.tensor(0.0)
        self.probe.loss_is_computed(snapshot, LossCall(function, prediction, target, value, options, purpose))
        if backward:
            self.probe.backward_begins(snapshot, value, [])
        self.facts |= snapshot.facts
        written = numbers(snapshot, "" if purpose is TRAINING else "validation")
        return written or numbers(snapshot)
