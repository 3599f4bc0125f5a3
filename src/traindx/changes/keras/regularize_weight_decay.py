"""More or less weight decay."""

from collections.abc import Sequence

import keras
from keras.src.optimizers.base_optimizer import BaseOptimizer
from torch import Tensor

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Multiply or set the weight decay of every optimizer, which shows in no loss."""

    def set_decay(optimizer: BaseOptimizer) -> None:
        before = float(optimizer.weight_decay or 0.0)
        after = change.scaled(before)
        if after != before:
            program.applied(change, f"the weight decay {before:g} becomes {after:g}")
            optimizer.weight_decay = after

    def refuse(optimizer: BaseOptimizer, _: Sequence[Tensor]) -> None:
        if not change.is_factor or optimizer.weight_decay:
            return
        if any(_is_penalised(one) for one in optimizer._trainable_variables):
            why = "weights decay by a penalty in the loss; with another one losses could not be compared"
            program.refuse(change, why)
        else:
            program.refuse(change, f"{type(optimizer).__name__} has no weight decay")

    program.stepping.on_optimizer(set_decay)
    program.stepping.before_step(refuse)


def _is_penalised(weight: "keras.Variable") -> bool:
    return isinstance(weight.regularizer, keras.regularizers.L2 | keras.regularizers.L1L2)


OPERATION = KerasOperation(name="regularize.weight_decay", begin=begin)
