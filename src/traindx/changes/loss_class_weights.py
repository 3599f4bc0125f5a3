"""Classes weighed by how rare they are."""

import torch
from torch import Tensor

from traindx.change import Change
from traindx.surgery.keras_arrival import is_called_by_keras_loss
from traindx.surgery.operation import Operation
from traindx.surgery.program import Loss, Program, learned_from


def begin(program: Program, change: Change) -> None:
    """Weigh classes by the inverse of their frequency until now; the loss is shown unweighted."""
    counts: Tensor | None = None

    def of_classes(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, *args: object, **kwargs: object) -> Tensor:
            nonlocal counts
            shown = original(given, target, *args, **kwargs)
            if target.is_floating_point() or given.dim() < 2 or args or kwargs.get("weight") is not None:
                return shown
            classes = given.shape[1]
            known = target[(target >= 0) & (target < classes)].flatten()
            seen = torch.bincount(known, minlength=classes).double()
            counts = seen if counts is None or len(counts) != classes else counts + seen
            weights = counts.sum() / (classes * counts.clamp_min(1))
            program.applied(change, f"{classes} classes are weighed by their frequency")
            return learned_from(shown, original(given, target, **{**kwargs, "weight": weights.to(given)}))

        return loss

    def of_yes_and_no(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, *args: object, **kwargs: object) -> Tensor:
            nonlocal counts
            shown = original(given, target, *args, **kwargs)
            if args or kwargs.get("pos_weight") is not None or is_called_by_keras_loss():
                return shown
            width = target.shape[-1] if target.dim() > 1 else 1
            rows = target.detach().double().reshape(-1, width)
            seen = torch.stack([rows.sum(0), len(rows) - rows.sum(0)])
            counts = seen if counts is None or counts.shape != seen.shape else counts + seen
            weight = (counts[1] / counts[0].clamp_min(1)).clamp(0.01, 100).to(given)
            program.applied(change, "the rarer of yes and no is weighed by its frequency")
            return learned_from(shown, original(given, target, **{**kwargs, "pos_weight": weight}))

        return loss

    program.replace_losses(("cross_entropy",), of_classes)
    program.replace_losses(("binary_cross_entropy_with_logits",), of_yes_and_no)


OPERATION = Operation(
    name="loss.class_weights",
    forms=("loss.class_weights balanced",),
    says="weigh classes by the inverse of their frequency",
    begin=begin,
    alters_loss=True,
)
