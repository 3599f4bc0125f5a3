"""Another optimizer."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from types import MethodType

import torch
from torch import optim
from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec
from traindx.errors import TraindxError

_KINDS: dict[str, tuple[type[Optimizer], dict[str, object]]] = {
    "adamw": (optim.AdamW, {"lr": 1e-3, "weight_decay": 0.01}),
    "adam": (optim.Adam, {"lr": 1e-3}),
    "sgd": (optim.SGD, {"lr": 0.05, "momentum": 0.9}),
}
"""What is usual where nothing else is said."""
_CHOSEN = ("betas", "eps", "amsgrad", "maximize", "foreach", "fused", "capturable", "differentiable")
"""Settings that mean the same to both, and are kept where the program has chosen them."""


def begin(program: Program, change: ChangeSpec) -> None:
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
    usual = {name: one.default for name, one in signature(type(optimizer).__init__).parameters.items()}
    first_rate = float(optimizer.defaults.get("lr", other.defaults["lr"]))
    times = other.defaults["lr"] / first_rate if first_rate else 1.0
    settled: set[int] = set()
    begun = False

    def settle() -> None:
        new = [group for group in optimizer.param_groups if id(group) not in settled]
        decays = any(_decay(group) for group in optimizer.param_groups)
        for group in new:
            settled.add(id(group))
            # Groups with a rate of their own keep their share of the common one.
            group["lr"] = float(group["lr"]) * times
            group["weight_decay"] = _carried(group, other, decays)
            for key, value in other.defaults.items():
                chosen = key in _CHOSEN and key in group and group[key] != usual.get(key)
                if key not in ("lr", "weight_decay") and not chosen:
                    group[key] = value

    def step(self: Optimizer, *args: object, **kwargs: object) -> object:
        nonlocal begun
        if not begun:
            # Some make their state at once, and none can go on from another's.
            self.state.clear()
            other.state, begun = self.state, True
        settle()
        return other.step(*args, **kwargs)

    other.param_groups = optimizer.param_groups
    settle()
    # A method, as schedules expect it.
    optimizer.step = MethodType(step, optimizer)


def _decay(group: "dict[str, object]") -> float:
    return float(group.get("weight_decay") or 0.0)  # type: ignore[arg-type]


def _carried(group: "dict[str, object]", other: Optimizer, decays: bool) -> float:
    """The weight decay of a group under another optimizer.

    A penalty in the gradient becomes a decay apart from it by its value. The other way round it would be
    another thing, and far stronger than meant. Groups that do not decay beside others that do stay so.
    """
    apart = bool(other.defaults.get("decoupled_weight_decay"))
    if group.get("decoupled_weight_decay") and not apart:
        return 0.0
    return _decay(group) if decays else float(other.defaults["weight_decay"])


OPERATION = Operation(
    name="optimizer.use",
    forms=("optimizer.use adamw", "optimizer.use sgd 0.05"),
    says="let another optimizer take the steps",
    begin=begin,
)
