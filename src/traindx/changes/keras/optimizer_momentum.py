"""Another momentum."""

from keras.src.optimizers.base_optimizer import BaseOptimizer

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Set the momentum, or the first of two betas."""

    def set_momentum(optimizer: BaseOptimizer) -> None:
        name = next((one for one in ("beta_1", "momentum") if one in optimizer.get_config()), None)
        if name is None:
            program.refuse(change, f"{type(optimizer).__name__} has no momentum")
            return
        before = float(getattr(optimizer, name))
        program.applied(change, f"the momentum {before:g} becomes {change.scaled(before):g}")
        setattr(optimizer, name, change.scaled(before))

    program.stepping.on_optimizer(set_momentum)


OPERATION = KerasOperation(name="optimizer.momentum", begin=begin)
