"""Classes weighed by how rare they are."""

import keras
import torch
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import BINARY, CATEGORICAL, SPARSE, KerasProgram, Loss, kind_of
from traindx.changes.live.program import learned_from
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Weigh samples by how rare their class has been until now; the loss is shown unweighted."""
    counts: Tensor | None = None

    def weighed(original: Loss) -> Loss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            nonlocal counts
            shown = original(loss, target, given, weights)
            labels = _labels(kind_of(loss), target, given)
            if labels is None:
                program.refuse(change, f"the targets of {kind_of(loss)} are not one class for each sample")
                return shown
            if weights is not None:
                program.refuse(change, "the program weighs its samples by itself")
                return shown
            classes = max(2, int(given.shape[-1]))
            known = labels[(labels >= 0) & (labels < classes)]
            seen = torch.bincount(known, minlength=classes).double()
            counts = seen if counts is None or len(counts) != classes else counts + seen
            balance = counts.sum() / (classes * counts.clamp_min(1))
            program.applied(change, f"{classes} classes are weighed by their frequency")
            rare = balance.to(given)[labels.clamp(0, classes - 1)]
            return learned_from(shown, original(loss, target, given, rare))

        return compute

    program.replace_losses(weighed)


def _labels(kind: str, target: Tensor, given: Tensor) -> Tensor | None:
    """The class of each sample; None where it has none or several."""
    if kind == SPARSE:
        return (target.squeeze(-1) if target.dim() == given.dim() else target).long()
    if kind == CATEGORICAL:
        return target.argmax(-1)
    if kind == BINARY and given.shape[-1] == 1:
        return (target.reshape(given.shape[:-1]) > 0.5).long()
    return None


OPERATION = KerasOperation(name="loss.class_weights", begin=begin)
