"""Raw scores for a loss that squashes them itself."""

import keras
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import CROSS_ENTROPIES, KerasProgram, Loss, kind_of, takes_scores
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Give a cross-entropy of scores what entered the softmax or sigmoid before it."""

    def unsquashed(original: Loss) -> Loss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            # Keras notes down on what it squashed what that was.
            raw = vars(given).get("_keras_logits")
            if kind_of(loss) not in CROSS_ENTROPIES or not takes_scores(loss) or not isinstance(raw, Tensor):
                program.refuse(change, "no softmax or sigmoid stands before a loss that applies it itself")
                return original(loss, target, given, weights)
            program.applied(change, "the loss gets the scores before the softmax or sigmoid")
            return original(loss, target, raw, weights)

        return compute

    program.replace_losses(unsquashed)


OPERATION = KerasOperation(name="loss.remove_softmax", begin=begin)
