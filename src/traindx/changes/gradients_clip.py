"""Gradients clipped, otherwise or not at all."""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor
from torch.nn import utils
from torch.nn.utils import clip_grad
from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.types import ChangeSpec

_NORM = "clip_grad_norm_"


def begin(program: Program, change: ChangeSpec) -> None:
    """Clip before each step, or change the limit of the program's own clipping."""
    if change.is_factor or change.words == ("none",):
        factor = change.number if change.is_factor else float("inf")
        _change_limit(program, change, factor)
        return
    limit = change.number

    def clip(optimizer: Optimizer) -> None:
        gradients = [one.grad for one in parameters_of(optimizer) if one.grad is not None]
        norm = float(torch.nn.utils.get_total_norm(gradients)) if gradients else 0.0
        if norm > limit:
            program.applied(change, f"gradients are clipped to a norm of {limit:.3g}")
            for one in gradients:
                one.mul_(limit / norm)

    program.before_step(clip)


def _change_limit(program: Program, change: ChangeSpec, factor: float) -> None:
    def looser(original: "Callable[..., Tensor]") -> "Callable[..., Tensor]":
        @wraps(original)
        def clip(parameters: object, max_norm: float, *args: object, **kwargs: object) -> Tensor:
            program.applied(
                change, f"the limit of the gradient norm {max_norm:g} becomes {max_norm * factor:g}"
            )
            return original(parameters, max_norm * factor, *args, **kwargs)

        return clip

    for module in (utils, clip_grad):
        program.patches.replace(module, _NORM, looser)


OPERATION = Operation(
    name="gradients.clip",
    forms=("gradients.clip 1.0", "gradients.clip p95", "gradients.clip x 10", "gradients.clip none"),
    says="clip gradients to a norm (p95: of those recorded), or loosen the clipping that is there",
    begin=begin,
)
