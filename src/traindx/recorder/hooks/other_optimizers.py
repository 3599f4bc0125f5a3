"""Optimizers of libraries that build their own instead of on torch's, recognized by what they can do."""

import gc
from collections.abc import Iterator

from torch import Tensor, nn
from torch.optim import Optimizer


def others_alive() -> Iterator[Optimizer]:
    """Objects that step and clear gradients like an optimizer, and hold a parameter that has a gradient."""
    is_like: dict[type, bool] = {}
    for candidate in gc.get_objects():
        kind = type(candidate)
        if kind not in is_like:
            is_like[kind] = _is_like_optimizer(kind)
        if is_like[kind] and _holds_gradient(candidate):
            yield candidate


def step_owner(optimizer: object) -> type:
    """The class that defines how it steps."""
    return next(kind for kind in type(optimizer).__mro__ if "step" in vars(kind))


def _is_like_optimizer(kind: type) -> bool:
    if issubclass(kind, Optimizer | nn.Module):
        return False
    known = {name for base in kind.__mro__ for name in vars(base)}
    return {"step", "zero_grad"} <= known


def _holds_gradient(candidate: object) -> bool:
    try:
        values = [value for group in candidate.param_groups for value in group["params"]]  # type: ignore[attr-defined]  # asked of anything
    except (AttributeError, TypeError, KeyError):
        return False
    return any(isinstance(value, Tensor) and value.grad is not None for value in values)
