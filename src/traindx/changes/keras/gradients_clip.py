"""Gradients clipped, otherwise or not at all."""

from collections.abc import Sequence

from keras.src.optimizers.base_optimizer import BaseOptimizer
from torch import Tensor
from torch.nn.utils import get_total_norm

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec

_LIMITS = {
    "clipnorm": "the limit of the gradient norm of each weight",
    "global_clipnorm": "the limit of the gradient norm",
    "clipvalue": "the limit of gradients",
}


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Clip before each step, or change the limits of the optimizer's own clipping."""
    if change.is_factor or change.words == ("none",):
        program.stepping.on_optimizer(lambda optimizer: _change_limits(program, change, optimizer))
        return
    limit = change.number

    def clip(_: BaseOptimizer, gradients: Sequence[Tensor]) -> None:
        norm = float(get_total_norm(gradients))
        if norm > limit:
            program.applied(change, f"gradients are clipped to a norm of {limit:.3g}")
            for one in gradients:
                one.mul_(limit / norm)

    program.stepping.before_step(clip)


def _change_limits(program: KerasProgram, change: ChangeSpec, optimizer: BaseOptimizer) -> None:
    held = {name: limit for name in _LIMITS if (limit := getattr(optimizer, name))}
    if not held:
        program.refuse(change, f"{type(optimizer).__name__} does not clip gradients")
    for name, limit in held.items():
        looser = limit * change.number if change.is_factor else None
        becomes = "is taken away" if looser is None else f"becomes {looser:g}"
        program.applied(change, f"{_LIMITS[name]} {limit:g} {becomes}")
        setattr(optimizer, name, looser)


OPERATION = KerasOperation(name="gradients.clip", begin=begin)
