"""Loss functions that take raw scores."""

import keras
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import (
    CROSS_ENTROPIES,
    KerasProgram,
    Loss,
    kind_of,
    takes_scores,
    twin,
)
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Tell a cross-entropy that it is given raw scores wherever it is."""
    are_scores = False

    def on_scores(original: Loss) -> Loss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            nonlocal are_scores
            if kind_of(loss) not in CROSS_ENTROPIES or takes_scores(loss):
                program.refuse(change, f"{kind_of(loss)} is not told to take probabilities")
                return original(loss, target, given, weights)
            # Once they were no probabilities, the model gives scores.
            are_scores = are_scores or bool(((given < 0) | (given > 1)).any())
            if not are_scores:
                return original(loss, target, given, weights)
            program.applied(change, f"{kind_of(loss)} is told that it is given raw scores")
            return original(twin(loss, from_logits=True), target, given, weights)

        return compute

    # In validation as well: the loss of scores taken for probabilities says nothing.
    program.replace_losses(on_scores, while_validating=True)


OPERATION = KerasOperation(name="loss.from_scores", begin=begin)
