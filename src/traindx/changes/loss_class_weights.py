"""Classes weighed by how rare they are."""

import torch
from torch import Tensor

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Loss, Program, is_called_by_keras_loss, learned_from
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Weigh classes by the inverse of their frequency until now; the loss is shown unweighted."""
    counts: Tensor | None = None

    def of_classes(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            nonlocal counts
            shown = original(given, target, **settings)
            if is_called_by_keras_loss() or target.is_floating_point() or given.dim() < 2:
                return shown
            if settings.get("weight") is not None:
                return shown
            classes = given.shape[1]
            known = target[(target >= 0) & (target < classes)].flatten()
            seen = torch.bincount(known, minlength=classes).double()
            counts = seen if counts is None or counts.shape != seen.shape else counts + seen
            weights = counts.sum() / (classes * counts.clamp_min(1))
            program.applied(change, f"{classes} classes are weighed by their frequency")
            return learned_from(shown, original(given, target, **{**settings, "weight": weights.to(given)}))

        return loss

    def weight_of_yes(target: Tensor) -> Tensor:
        """How often no was there for each yes until now: one number for each column of a table."""
        nonlocal counts
        rows = target.detach().double().reshape(-1, target.shape[-1] if target.dim() == 2 else 1)
        seen = torch.stack([rows.sum(0), len(rows) - rows.sum(0)])
        counts = seen if counts is None or counts.shape != seen.shape else counts + seen
        program.applied(change, "the rarer of yes and no is weighed by its frequency")
        return (counts[1] / counts[0].clamp_min(1)).clamp(0.01, 100)

    def of_scores(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            shown = original(given, target, **settings)
            if settings.get("pos_weight") is not None or is_called_by_keras_loss():
                return shown
            weight = weight_of_yes(target).to(given)
            return learned_from(shown, original(given, target, **{**settings, "pos_weight": weight}))

        return loss

    def of_probabilities(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            shown = original(given, target, **settings)
            if is_called_by_keras_loss():
                return shown
            # This loss knows no pos_weight: its weight is one of each element.
            weight = 1 + (weight_of_yes(target).to(given) - 1) * target
            own = settings.get("weight")
            weight = weight * own if isinstance(own, Tensor) else weight
            return learned_from(shown, original(given, target, **{**settings, "weight": weight}))

        return loss

    program.replace_losses(("cross_entropy", "nll_loss"), of_classes)
    program.replace_losses(("binary_cross_entropy_with_logits",), of_scores)
    program.replace_losses(("binary_cross_entropy",), of_probabilities)


OPERATION = Operation(
    name="loss.class_weights",
    forms=("loss.class_weights balanced",),
    says="weigh classes by the inverse of their frequency",
    begin=begin,
    alters_loss=True,
)
