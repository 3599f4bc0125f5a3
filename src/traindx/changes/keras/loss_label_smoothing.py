"""Labels that are not quite sure."""

import keras
from torch import Tensor
from torch.nn import functional

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import (
    CROSS_ENTROPIES,
    SPARSE,
    KerasProgram,
    Loss,
    kind_of,
    takes_scores,
    twin,
)
from traindx.changes.live.program import learned_from
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Learn from smoothed labels; the loss is shown without."""
    share = change.number

    def smoothed(original: Loss) -> Loss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            shown = original(loss, target, given, weights)
            if kind_of(loss) not in CROSS_ENTROPIES:
                program.refuse(change, f"{kind_of(loss)} has no labels that could be smoothed")
                return shown
            program.applied(change, f"labels are smoothed by {share:g}")
            if kind_of(loss) != SPARSE:
                return learned_from(
                    shown, original(twin(loss, label_smoothing=share), target, given, weights)
                )
            classes = int(given.shape[-1])
            labels = (target.squeeze(-1) if target.dim() == given.dim() else target).long()
            # A label outside is one that the loss ignores: a row of zeros is learned from as little.
            known = (labels >= 0) & (labels < classes)
            rows = functional.one_hot(labels.clamp(0, classes - 1), classes) * known.unsqueeze(-1)
            return learned_from(shown, original(_on_rows(loss, share), rows.to(given), given, weights))

        return compute

    program.replace_losses(smoothed)


def _on_rows(loss: keras.losses.Loss, share: float) -> keras.losses.Loss:
    """The same cross-entropy for labels that are rows of shares; that of numbers cannot be smoothed."""
    return keras.losses.CategoricalCrossentropy(
        from_logits=takes_scores(loss), label_smoothing=share, reduction=loss.reduction, dtype=loss.dtype
    )


OPERATION = KerasOperation(name="loss.label_smoothing", begin=begin)
