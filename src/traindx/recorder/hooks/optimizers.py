"""Steps of optimizers, their schedules, and clipping."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import cast

import torch
from torch import Tensor
from torch.compiler import is_dynamo_compiling
from torch.nn import utils
from torch.nn.utils import clip_grad
from torch.optim import Optimizer, lr_scheduler
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from traindx.facts import BETA2, LEARNING_RATE, MOMENTUM, OPTIMIZER, SCHEDULE, SCHEDULE_PLACE, WEIGHT_DECAY
from traindx.recorder.guard import guarded
from traindx.recorder.hooks.call_site import place
from traindx.recorder.hooks.monkeypatch import Function, Patches, unnoticed, wrapping
from traindx.recorder.hooks.other_optimizers import others_alive, step_owner
from traindx.recorder.recorder import Recorder
from traindx.recorder.streams import Holder
from traindx.run import Fact, Scalar

_SCHEDULES = "recording schedules"


def _parameters(holder: object) -> Sequence[Tensor]:
    return [value for group in cast(Optimizer, holder).param_groups for value in group["params"]]


def _rates(holder: object) -> Sequence[float]:
    return [float(group["lr"]) for group in cast(Optimizer, holder).param_groups if "lr" in group]


_KEYS = {
    "lr": LEARNING_RATE,
    **dict.fromkeys(("weight_decay", "wd"), WEIGHT_DECAY),
    **dict.fromkeys(("momentum", "mom"), MOMENTUM),
}
"""What optimizers call their settings."""


def _settings(holder: object) -> Mapping[Fact, Scalar]:
    group = cast(Optimizer, holder).param_groups[0]
    # A schedule may begin at zero; what it was built from is what was configured.
    group = {**group, "lr": group.get("initial_lr", group.get("lr"))}
    facts: dict[Fact, Scalar] = {OPTIMIZER: type(holder).__name__}
    for key, fact in _KEYS.items():
        if isinstance(group.get(key), int | float | Tensor):
            facts[fact] = float(group[key])
    betas = group.get("betas")
    if isinstance(betas, tuple) and len(betas) >= 2:
        facts[MOMENTUM], facts[BETA2] = float(betas[0]), float(betas[1])
    return facts


TORCH = Holder(parameters=_parameters, rates=_rates, settings=_settings)


class Optimizers:
    """Hooks around every step of every optimizer."""

    def __init__(self, recorder: Recorder, changed: Callable[[], None]) -> None:
        """`changed` is called when the recorder may have changed its mind about modules."""
        self.steps = 0
        self._schedules: list[tuple[weakref.ref[lr_scheduler.LRScheduler], int, str]] = []
        """Those that no step of theirs was seen of: how far they were when they were made, and where."""
        self._others: Patches | None = None
        """Where optimizers of other classes are to be watched; None once torch's are in use."""
        self._looked = False
        self._recorder, self._changed, self._fast_path = recorder, changed, recorder.fast_path

    def install(self, patches: Patches) -> None:
        """Watch steps, and the making of optimizers and schedules."""
        self._others = patches
        patches.on_undo(lambda: guarded(self._recorder, _SCHEDULES, self._tell_schedules))
        patches.on_undo(register_optimizer_step_pre_hook(self._begins).remove)
        patches.on_undo(register_optimizer_step_post_hook(self._ends).remove)
        patches.wrap(Optimizer, "__init__", self._made)
        for scheduler in (lr_scheduler.LRScheduler, lr_scheduler.ReduceLROnPlateau):
            patches.wrap(scheduler, "__init__", self._scheduled)
        for module in (utils, clip_grad):
            patches.wrap(module, "clip_grad_norm_", self._clipping)
            patches.wrap(module, "clip_grad_value_", self._clipping_values)

    def _begins(
        self, optimizer: Optimizer, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> tuple[tuple[object, ...], dict[str, object]] | None:
        if is_dynamo_compiling():
            return None
        self.steps += 1
        fast_path = self._fast_path
        if fast_path.is_open and optimizer is fast_path.held():
            fast_path.stepping = True
            fast_path.times.asked = perf_counter()
            return None
        fast_path.interrupted = False
        closure = args[1] if len(args) > 1 else kwargs.get("closure")
        if not callable(closure):
            self._recorder.update_begins(optimizer, TORCH)
            return None
        # Lightning and LBFGS compute the gradients inside the step: it begins when they are there.
        watched = self._after_gradients(closure, optimizer)
        if len(args) > 1:
            return (args[0], watched, *args[2:]), kwargs
        return args, {**kwargs, "closure": watched}

    def _after_gradients(self, closure: Function, optimizer: Optimizer) -> Function:
        begun = False

        def watched(closure: Function, *args: object, **kwargs: object) -> object:
            nonlocal begun
            result = closure(*args, **kwargs)
            if not begun:
                begun = True
                self._recorder.update_begins(optimizer, TORCH)
            return result

        wrapped = wrapping(closure, watched)
        unnoticed(wrapped)
        return wrapped

    def _ends(self, optimizer: Optimizer, _: object, __: object) -> None:
        fast_path = self._fast_path
        if fast_path.stepping:
            groups = optimizer.param_groups
            if fast_path.update_ends(optimizer, groups[0].get("lr") if len(groups) == 1 else None):
                return
            self._recorder.fast_path_ends()
        elif torch.compiler.is_compiling():
            return
        else:
            if fast_path.interrupted:
                fast_path.interrupted = False
                # The beginning was not told: the fast path was open then.
                self._recorder.update_begins(optimizer, TORCH)
            self._recorder.update_ends(optimizer)
        if self._schedules:
            guarded(self._recorder, _SCHEDULES, self._tell_schedules)
        self._changed()

    def look_for_others(self) -> None:
        """After the first backward pass: watch the optimizers of a program that made none of torch's."""
        if self._looked:
            return
        self._looked = True
        found = [] if self._others is None else list(others_alive())
        for optimizer in found:
            self._recorder.optimizer_made(optimizer, TORCH)
        for owner in {step_owner(optimizer) for optimizer in found}:
            self._others.wrap(owner, "step", self._stepping)

    def _stepping(self, original: Function, optimizer: Optimizer, *args: object, **kwargs: object) -> object:
        self._begins(optimizer, (optimizer, *args), kwargs)
        result = original(optimizer, *args, **kwargs)
        self._ends(optimizer, None, None)
        return result

    def _made(self, original: Function, optimizer: Optimizer, *args: object, **kwargs: object) -> None:
        original(optimizer, *args, **kwargs)
        self._others = None
        self._recorder.optimizer_made(optimizer, TORCH)
        self._changed()

    def _scheduled(
        self, original: Function, scheduler: lr_scheduler.LRScheduler, *args: object, **kwargs: object
    ) -> None:
        self._recorder.state(SCHEDULE, type(scheduler).__name__)
        original(scheduler, *args, **kwargs)
        guarded(self._recorder, _SCHEDULES, lambda: self._note_schedule(scheduler))

    def _note_schedule(self, scheduler: lr_scheduler.LRScheduler) -> None:
        self._schedules.append((weakref.ref(scheduler), scheduler.last_epoch, place()))

    def _tell_schedules(self) -> None:
        """Tell where schedules that have been stepped were made; those that never are change nothing."""
        waiting = []
        for held, began, where in self._schedules:
            scheduler = held()
            if scheduler is not None and scheduler.last_epoch > began:
                self._recorder.state(SCHEDULE_PLACE, where)
            elif scheduler is not None:
                waiting.append((held, began, where))
        self._schedules = waiting

    def _clipping(
        self, original: Function, parameters: object, max_norm: float, *args: object, **kwargs: object
    ) -> object:
        norm = original(parameters, max_norm, *args, **kwargs)
        if not torch.compiler.is_compiling() and isinstance(norm, Tensor):
            self._recorder.clipped(norm, max_norm)
        return norm

    def _clipping_values(
        self, original: Function, parameters: object, clip_value: float, *args: object, **kwargs: object
    ) -> None:
        original(parameters, clip_value, *args, **kwargs)
        self._recorder.clipped_values(clip_value)
