"""Weight decay apart from the gradient."""

from collections.abc import Callable, Sequence
from functools import wraps

import keras
import torch
from keras.src.optimizers.base_optimizer import BaseOptimizer
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.keras_steps import rate_of
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Shrink weights by their L2 penalty, as AdamW does; the loss shows the penalty and is not bent by it."""

    def unlearned(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def penalty(regularizer: keras.regularizers.L2, value: object) -> object:
            given = original(regularizer, value)
            # Outputs of a layer may be penalised as well: these have no decay of their own.
            is_of_weight = isinstance(value, keras.Variable)
            return given.detach() if is_of_weight and isinstance(given, Tensor) else given

        return penalty

    def shrink(optimizer: BaseOptimizer, _: Sequence[Tensor]) -> None:
        weights = [
            one
            for one in optimizer._trainable_variables
            if isinstance(one.regularizer, keras.regularizers.L2)
        ]
        if not weights:
            program.refuse(change, f"the weight decay of {type(optimizer).__name__} is kept apart already")
            return
        decays = [2 * float(one.regularizer.l2) for one in weights]
        program.applied(change, f"the weight decay {max(decays):g} is kept out of the gradient")
        rate = rate_of(optimizer)
        with torch.no_grad():
            for one, decay in zip(weights, decays, strict=True):
                one._value.mul_(1 - rate * decay)

    program.patches.replace(keras.regularizers.L2, "__call__", unlearned)
    program.stepping.before_step(shrink)


OPERATION = KerasOperation(name="optimizer.decoupled_weight_decay", begin=begin)
