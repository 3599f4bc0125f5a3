"""A running program, as a change sees it: what can be taken hold of, and when.

Everything is installed before the recorder, so that the recorder sees the program as it is changed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from inspect import signature
from pathlib import Path
from typing import TypeAlias
from weakref import WeakKeyDictionary

from traindx.changes import nn, torch
from traindx.changes.types import ChangeSpec
from traindx.recorder.hooks.monkeypatch import Function, Patches
from traindx.recorder.launch.command import NOTES

OnModel: TypeAlias = "Callable[[nn.Module], None]"
OnInput: TypeAlias = "Callable[[nn.Module, tuple[object, ...]], tuple[object, ...] | None]"
OnOptimizer: TypeAlias = "Callable[[torch.optim.Optimizer], None]"
Loss: TypeAlias = "Callable[..., torch.Tensor]"


@dataclass(frozen=True)
class StepRate:
    """The learning rate that an optimizer of torch or Keras is about to step with."""

    first: float
    """The one it was made with, whatever a schedule has done to it since."""
    now: float
    taken: int
    """Steps taken before."""

    @property
    def without_schedule(self) -> float:
        """What the learning rate of this step is to be multiplied by to be the first one."""
        return self.first / self.now if self.now else 1.0


Factor: TypeAlias = "Callable[[StepRate], float]"
"""What the learning rate of a step is multiplied by."""


_NEXT_TO_NOTHING = 1e-30
"""Of the rate an optimizer was made with: what a rate of 0 counts as, so that it can be raised again."""


class Program:
    """The program of one arm."""

    def __init__(self, folder: Path, steps: int | None) -> None:
        """`steps` is how many it will take, where that is known."""
        self.patches = Patches()
        self.steps = steps
        self.taken = 0
        """Steps of the optimizer that were taken."""
        self.models: list[nn.Module] = []
        """Modules that the program has called itself, each with all that is inside it."""
        self.held: dict[int, torch.optim.Optimizer] = {}
        """Optimizers by the parameters that they have stepped or were given."""
        self.last_step: int | None = None
        """The step after which the recorder ends the program; None where no change says so."""
        self._inside: set[int] = set()
        self._folder, self._said = folder, set[str]()
        self._on_model: list[OnModel] = []
        self._on_input: list[OnInput] = []
        self._before: list[OnOptimizer] = []
        self._after: list[OnOptimizer] = []
        self._left_alone: list[Callable[[nn.Module], bool]] = []
        self._hooked = False

    def leave_alone(self, which: Callable[[nn.Module], bool]) -> None:
        """Take no module for a model that this says yes to."""
        self._left_alone.append(which)

    def on_model(self, act: OnModel) -> None:
        """Act on every model before it is called for the first time."""
        self._on_model.append(act)
        self._watch_calls()

    def on_input(self, act: OnInput) -> None:
        """Act on what is given to a model, each time the program calls it."""
        self._on_input.append(act)
        self._watch_calls()

    def before_step(self, act: OnOptimizer) -> None:
        """Act before each step of an optimizer."""
        self._watch_steps()
        self._before.append(act)

    def after_step(self, act: OnOptimizer) -> None:
        """Act after each step of an optimizer."""
        self._watch_steps()
        self._after.append(act)

    def once_per_optimizer(self, act: OnOptimizer) -> None:
        """Act on every optimizer before its first step."""
        known: set[int] = set()

        def first(optimizer: torch.optim.Optimizer) -> None:
            if id(optimizer) not in known:
                known.add(id(optimizer))
                act(optimizer)

        self.before_step(first)

    def multiply_rates(self, factor: Factor) -> None:
        """Multiply the learning rates of every step; a schedule of the program goes on unaffected."""
        kept: dict[int, list[object]] = {}
        taken: WeakKeyDictionary[torch.optim.Optimizer, int] = WeakKeyDictionary()
        """By each optimizer: of two that step in turn, each goes through the whole of a schedule."""
        met: WeakKeyDictionary[torch.optim.Optimizer, float] = WeakKeyDictionary()

        def begins(optimizer: torch.optim.Optimizer) -> None:
            kept[id(optimizer)] = [group.get("lr") for group in optimizer.param_groups]
            # One that comes later, such as that of the next fold, goes on where the others are.
            now = taken.setdefault(optimizer, min(taken.values(), default=self.taken))
            taken[optimizer] = now + 1
            first = optimizer.param_groups[0]
            # A schedule of one cycle begins far below the learning rate it was given; ReduceLROnPlateau notes
            # down none.
            met_with = met.setdefault(optimizer, float(first.get("lr", 0.0)))
            made_with = first.get("max_lr", first.get("initial_lr", met_with))
            hardly = _NEXT_TO_NOTHING * float(made_with)
            times = factor(StepRate(float(made_with), float(first.get("lr", 0.0)) or hardly, now))
            for group in optimizer.param_groups:
                if isinstance(group.get("lr"), int | float | torch.Tensor):
                    group["lr"] = (group["lr"] if group["lr"] else hardly) * times

        def ends(optimizer: torch.optim.Optimizer) -> None:
            for group, rate in zip(optimizer.param_groups, kept.pop(id(optimizer), []), strict=False):
                group["lr"] = rate

        self.before_step(begins)
        self.after_step(ends)

    def after_modules(self, hook: Function) -> None:
        """Act behind every call of a module, as a forward hook of all modules does."""
        handle = nn.modules.module.register_module_forward_hook(hook)
        self.patches.on_undo(handle.remove)

    def wrap_function(self, name: str, call: Loss) -> None:
        """Wrap a function of torch under all its names: of torch, of torch.nn.functional, as a method."""
        import torch

        for owner in (torch, torch.nn.functional):
            self.patches.wrap(owner, name, call)
        self.patches.wrap_inherited(torch.Tensor, name, call)

    def replace_losses(self, names: Sequence[str], compute: Loss, *, while_validating: bool = False) -> None:
        """Put a function instead of loss functions, while the model learns.

        It is called with the original, with prediction and target by place and with all settings by name,
        however the program or a module such as nn.BCEWithLogitsLoss gives them.
        """
        for name in names:
            self.patches.wrap(nn.functional, name, partial(_computed, compute, while_validating))

    def applied(self, change: ChangeSpec, says: str) -> None:
        """Tell that a change took hold, once."""
        self._note(change, says, applied=True)

    def refuse(self, change: ChangeSpec, why: str) -> None:
        """Tell that a change cannot be applied to this program, and why."""
        self._note(change, why, applied=False)

    def keep(self, name: str, document: Mapping[str, object]) -> None:
        """Leave what was seen inside the program beside its recording."""
        (self._folder / f"{name}.json").write_text(json.dumps(document), "utf-8")

    def _note(self, change: ChangeSpec, says: str, *, applied: bool) -> None:
        if says in self._said:
            return
        self._said.add(says)
        line = json.dumps({"change": str(change), "applied": applied, "says": says, "step": self.taken})
        handle = os.open(self._folder / NOTES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, f"{line}\n".encode())
        finally:
            os.close(handle)

    def _watch_calls(self) -> None:
        if not self._hooked:
            self._hooked = True
            handle = nn.modules.module.register_module_forward_pre_hook(self._called)
            self.patches.on_undo(handle.remove)

    def _called(self, module: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        if any(which(module) for which in self._left_alone):
            return None
        if id(module) not in self._inside:
            # The outermost is called first: whatever is not inside one that is known is one of its own.
            if not any(True for _ in module.parameters()):
                return None
            self.models.append(module)
            for act in self._on_model:
                act(module)
            # Afterward: a change may have put new modules inside.
            self._inside.update(id(part) for part in module.modules())
        if not any(module is part for part in self.models):
            return None
        for change in self._on_input:
            args = change(module, args) or args
        return args

    def _watch_steps(self) -> None:
        if self._before or self._after:
            return
        from torch.optim.optimizer import register_optimizer_step_post_hook as after
        from torch.optim.optimizer import register_optimizer_step_pre_hook as before

        self.patches.on_undo(before(self._step_begins).remove)
        self.patches.on_undo(after(self._step_ends).remove)
        self._before.append(_nothing)

    def _step_begins(self, optimizer: torch.optim.Optimizer, _: object, __: object) -> None:
        for act in self._before:
            act(optimizer)

    def _step_ends(self, optimizer: torch.optim.Optimizer, _: object, __: object) -> None:
        for act in reversed(self._after):
            act(optimizer)
        self.taken += 1


def _nothing(_: torch.optim.Optimizer) -> None:
    """Stand first, so that steps are counted although nothing else is done."""


@cache
def parameter_names(function: Function) -> tuple[str, ...]:
    """What the parameters of a function are called."""
    return tuple(signature(function).parameters)


def _computed(
    compute: Loss, while_validating: bool, original: Loss, *args: object, **kwargs: object
) -> torch.Tensor:
    if not (torch.is_grad_enabled() or while_validating):
        return original(*args, **kwargs)
    names = parameter_names(original)
    named = {**dict(zip(names, args, strict=False)), **kwargs}
    return compute(original, named.pop(names[0]), named.pop(names[1]), **named)


def learned_from(shown: torch.Tensor, learned: torch.Tensor) -> torch.Tensor:
    """A loss that reads as one and is learned from as another, so that arms stay comparable."""
    return learned + (shown - learned).detach()


def parameters_of(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """All parameters of an optimizer."""
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def give_missing(program: Program, optimizer: torch.optim.Optimizer) -> int:
    """Give what nobody holds to an optimizer; how many tensors that were."""
    for parameter in parameters_of(optimizer):
        program.held[id(parameter)] = optimizer
    missing = [
        parameter
        for model in program.models
        for parameter in model.parameters()
        if parameter.requires_grad and id(parameter) not in program.held
    ]
    unique = list({id(parameter): parameter for parameter in missing}.values())
    if unique:
        # Not as a group of their own: schedulers that are there already know how many groups there are.
        optimizer.param_groups[0]["params"].extend(unique)
        program.held.update((id(parameter), optimizer) for parameter in unique)
    return len(unique)
