"""Another optimizer."""

from collections.abc import Callable
from functools import wraps
from types import MethodType

import torch
from torch import optim
from torch.optim import Optimizer

from traindx.change import Change
from traindx.errors import TraindxError
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program

_KINDS: dict[str, tuple[type[Optimizer], dict[str, object]]] = {
    "adamw": (optim.AdamW, {"lr": 1e-3, "weight_decay": 0.01}),
    "adam": (optim.Adam, {"lr": 1e-3}),
    "sgd": (optim.SGD, {"lr": 0.05, "momentum": 0.9}),
}
"""What is usual where nothing else is said."""


def begin(program: Program, change: Change) -> None:
    """Let another optimizer take the steps of the one the program makes; schedules and groups are shared."""
    kind = change.words[0].lower() if change.words else ""
    if kind not in _KINDS:
        raise TraindxError(
            f'"{change}": the optimizers are {", ".join(_KINDS)}; for example: optimizer.use adamw'
        )
    made, usual = _KINDS[kind]
    settings = {**usual, "lr": float(change.words[1])} if len(change.words) > 1 else usual
    busy = False

    def exchanged(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def init(optimizer: Optimizer, *args: object, **kwargs: object) -> None:
            nonlocal busy
            original(optimizer, *args, **kwargs)
            if busy or type(optimizer) is made:
                return
            busy = True
            try:
                _take_over(optimizer, made([torch.zeros(1, requires_grad=True)], **settings))
            finally:
                busy = False
            says = f"{made.__name__} at {settings['lr']:g} takes the steps of {type(optimizer).__name__}"
            program.applied(change, says)

        return init

    program.patches.replace(Optimizer, "__init__", exchanged)


def _take_over(optimizer: Optimizer, other: Optimizer) -> None:
    """Let another optimizer step on the groups of the first, which schedules and scalers go on to see."""
    other.param_groups = optimizer.param_groups
    for group in optimizer.param_groups:
        group["lr"] = other.defaults["lr"]

    def step(self: Optimizer, *args: object, **kwargs: object) -> object:
        for group in self.param_groups:
            for key, value in other.defaults.items():
                group.setdefault(key, value)
        return other.step(*args, **kwargs)

    # A method, as schedules expect it.
    optimizer.step = MethodType(step, optimizer)


OPERATION = Operation(
    name="optimizer.use",
    forms=("optimizer.use adamw", "optimizer.use sgd 0.05"),
    says="let another optimizer take the steps",
    begin=begin,
)
