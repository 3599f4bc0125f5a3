"""Another optimizer."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from types import MethodType
from weakref import WeakKeyDictionary

from traindx.changes import keras, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.literal import replaced
from traindx.changes.source.optimizer import is_keras, optimizer_call, twin_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    expression,
    last_name,
    number_text,
    texts_in,
    with_argument,
    without_arguments,
)
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.recorder.hooks.monkeypatch import Function
from traindx.run import Run

_CHOSEN = ("betas", "eps", "amsgrad", "maximize", "foreach", "fused", "capturable", "differentiable")
"""Settings that mean the same to both, and are kept where the program has chosen them."""
_KEPT = (
    "weight_decay",
    "clipnorm",
    "global_clipnorm",
    "clipvalue",
    "loss_scale_factor",
    "gradient_accumulation_steps",
)
"""What any optimizer can do, and does as the program has asked for."""
_KINDS = {
    "adamw": ("AdamW", 1e-3, {"weight_decay": 0.01}),
    "adam": ("Adam", 1e-3, {}),
    "sgd": ("SGD", 0.05, {"momentum": 0.9}),
}
"""Class, usual rate and what else is usual, where nothing else is said."""
_FOREIGN = {
    "AdamW": "momentum nesterov dampening alpha centered rho etas step_sizes lr_decay",
    "Adam": "momentum nesterov dampening alpha centered rho etas step_sizes lr_decay",
    "SGD": "betas eps amsgrad alpha centered rho etas step_sizes lr_decay momentum",
}
"""Arguments of other optimizers that a class does not know, or that are set anew."""


def _chosen(change: ChangeSpec) -> tuple[str, float, dict[str, float]]:
    """The class that a text names, its learning rate, and what else it is made with."""
    name, rate, usual = _KINDS[change.among(_KINDS)]
    return name, float(change.words[1]) if len(change.words) > 1 else rate, usual


def _torch(program: Program, change: ChangeSpec) -> None:
    """Let another optimizer take the steps of the one the program makes; schedules and groups are shared."""
    name, rate, usual = _chosen(change)
    made, settings = getattr(torch.optim, name), {"lr": rate, **usual}
    busy = False

    def init(original: Function, optimizer: torch.optim.Optimizer, *args: object, **kwargs: object) -> None:
        nonlocal busy
        original(optimizer, *args, **kwargs)
        if busy or type(optimizer) is made:
            return
        busy = True
        try:
            _take_over(optimizer, made([torch.zeros(1, requires_grad=True)], **settings))
        finally:
            busy = False
        says = f"{made.__name__} (lr {settings['lr']:g}) replaces {type(optimizer).__name__}"
        program.applied(change, says)

    program.patches.wrap(torch.optim.Optimizer, "__init__", init)


def _take_over(optimizer: torch.optim.Optimizer, other: torch.optim.Optimizer) -> None:
    """Let another optimizer step on the groups of the first, which schedules and scalers go on to see."""
    usual = {
        name: parameter.default for name, parameter in signature(type(optimizer).__init__).parameters.items()
    }
    first_rate = float(optimizer.defaults.get("lr", other.defaults["lr"]))
    times = other.defaults["lr"] / first_rate if first_rate else 1.0
    settled: set[int] = set()
    begun = False

    def settle() -> None:
        new = [group for group in optimizer.param_groups if id(group) not in settled]
        decays = any(_decay(group) for group in optimizer.param_groups)
        for group in new:
            settled.add(id(group))
            # Groups with a learning rate of their own keep their share of the common one.
            group["lr"] = float(group["lr"]) * times
            group["weight_decay"] = _carried(group, other, decays)
            for key, value in other.defaults.items():
                chosen = key in _CHOSEN and key in group and group[key] != usual.get(key)
                if key not in ("lr", "weight_decay") and not chosen:
                    group[key] = value

    def step(self: torch.optim.Optimizer, *args: object, **kwargs: object) -> object:
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


def _decay(group: dict[str, object]) -> float:
    return float(group.get("weight_decay") or 0.0)  # type: ignore[arg-type]


def _carried(group: dict[str, object], other: torch.optim.Optimizer, decays: bool) -> float:
    """The weight decay of a group under another optimizer.

    A penalty in the gradient becomes a decay apart from it by its value. The other way round it would be
    another thing, and far stronger than meant. Groups that do not decay beside others that do stay so.
    """
    apart = bool(other.defaults.get("decoupled_weight_decay"))
    if group.get("decoupled_weight_decay") and not apart:
        return 0.0
    return _decay(group) if decays else float(other.defaults["weight_decay"])


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Let another optimizer take the steps; the program's schedule scales its learning rate."""
    name, rate, usual = _chosen(change)
    made, settings = getattr(keras.optimizers, name), {"learning_rate": rate, **usual}
    others: WeakKeyDictionary[keras.Optimizer, keras.Optimizer] = WeakKeyDictionary()

    def apply(
        original: Function,
        optimizer: keras.Optimizer,
        grads: Sequence[torch.Tensor | None],
        trainable_variables: Sequence[keras.Variable] | None = None,
    ) -> object:
        if any(optimizer is other_optimizer for other_optimizer in others.values()):
            return original(optimizer, grads, trainable_variables)
        why_not = _why_not(optimizer, made)
        if why_not:
            program.refuse(change, why_not)
            return original(optimizer, grads, trainable_variables)
        if optimizer not in others:
            others[optimizer] = made(**{**settings, **_kept(optimizer)})
        says = f"{made.__name__} (lr {rate:g}) replaces {type(optimizer).__name__}"
        program.applied(change, says)
        others[optimizer].learning_rate = rate / program.stepping.without_schedule(optimizer)
        # Schedules of the program count its own steps.
        optimizer._iterations.assign_add(1)
        return others[optimizer].apply(grads, trainable_variables or optimizer._trainable_variables)

    program.patches.wrap(keras.src.optimizers.base_optimizer.BaseOptimizer, "apply", apply)


def _why_not(optimizer: keras.Optimizer, made: type[keras.Optimizer]) -> str:
    if type(optimizer).__name__ == made.__name__:
        return f"the program already uses {made.__name__}"
    return "the optimizer keeps an EMA of the weights" if optimizer.use_ema else ""


def _kept(optimizer: keras.Optimizer) -> dict[str, float]:
    return {name: value for name in _KEPT if (value := getattr(optimizer, name)) is not None}


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Exchange the class, set its learning rate, and leave out what it does not know."""
    name, chosen_rate, usual = _chosen(change)
    rate = number_text(chosen_rate)
    call = optimizer_call(source, run)
    if last_name(call.func) == name or is_keras(call, source):
        raise RefusedError(f"{source.callee(call)} cannot be replaced by {name}")
    if (
        not call.args
        or sum(1 for passed in call.args if not passed.keyword) > 2
        or any(passed.star for passed in call.args)
    ):
        raise RefusedError(f"{source.place(call)} uses positional arguments; write them as keywords")
    if "lr" in texts_in(source, call.args[0]):
        raise RefusedError(f"parameter groups have their own learning rates at {source.place(call)}")
    foreign = _FOREIGN[name].split()
    if last_name(call.func) == "AdamW":
        # A decay apart from the gradient would be a far stronger penalty in it.
        foreign.append("weight_decay")
    new = without_arguments(twin_of(source, call, name, "torch.optim"), foreign)
    arg = argument(new, ("lr",), 1)
    if arg is None:
        new = with_argument(new, "lr", rate)
    else:
        new = new.with_changes(
            args=[
                passed.with_changes(value=expression(rate)) if passed is arg else passed
                for passed in new.args
            ]
        )
    if "momentum" in usual:
        new = with_argument(new, "momentum", str(usual["momentum"]))
    return replaced(source, call, new)


def _label(change: ChangeSpec) -> str:
    kind, *rate = change.words
    return f"use {_KINDS[kind][0] if kind in _KINDS else kind}" + "".join(f", lr {letter}" for letter in rate)


CHANGE = Change(
    name="optimizer.use",
    label=_label,
    forms=("optimizer.use adamw", "optimizer.use sgd 0.05"),
    says="use another optimizer",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
