"""Steps of Keras' optimizers on torch, which accumulate, clip and decay by themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakKeyDictionary

from traindx.changes import keras, torch
from traindx.changes.live.program import Factor, Program, StepRate
from traindx.recorder.hooks.monkeypatch import Function

OnOptimizer: TypeAlias = "Callable[[keras.Optimizer], None]"
OnGradients: TypeAlias = "Callable[[keras.Optimizer, Sequence[torch.Tensor]], None]"

_LARGEST_RATES = ("initial_learning_rate", "warmup_target")
"""Under which names schedules keep the learning rate they are made for."""


@dataclass
class _Step:
    """The application of gradients that runs."""

    optimizer: keras.Optimizer
    times: float
    """What the learning rate is multiplied by."""
    begun: bool = False
    """Whether weights change: gradients may only be accumulated."""
    skipped: bool = False


class KerasSteps:
    """What can be done to an optimizer, its learning rate, and the gradients of each step."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._on_optimizer: list[OnOptimizer] = []
        self._before: list[OnGradients] = []
        self._after: list[OnOptimizer] = []
        self._factors: list[Factor] = []
        self._first: WeakKeyDictionary[keras.Optimizer, float] = WeakKeyDictionary()
        self._step: _Step | None = None

    def install(self) -> None:
        """Take hold of all optimizers."""
        from keras.src.backend.torch.optimizers.torch_optimizer import TorchOptimizer
        from keras.src.backend.torch.optimizers.torch_parallel_optimizer import TorchParallelOptimizer
        from keras.src.optimizers.base_optimizer import BaseOptimizer

        patches = self._program.patches
        patches.wrap(BaseOptimizer, "build", self._build)
        patches.wrap(BaseOptimizer, "apply", self._apply)
        patches.wrap(BaseOptimizer, "_clip_gradients", self._begin)
        patches.wrap(BaseOptimizer, "_get_current_learning_rate", self._multiplied)
        for owner in (BaseOptimizer, TorchOptimizer):
            patches.wrap(owner, "_apply_weight_decay", self._unless_skipped)
        for owner in (BaseOptimizer, TorchParallelOptimizer):
            patches.wrap(owner, "_backend_update_step", self._unless_skipped)

    def on_optimizer(self, act: OnOptimizer) -> None:
        """Act on every optimizer before it makes its variables."""
        self._on_optimizer.append(act)

    def before_step(self, act: OnGradients) -> None:
        """Act on the gradients of each step, in place, right before weights change."""
        self._before.append(act)

    def after_step(self, act: OnOptimizer) -> None:
        """Act after each step."""
        self._after.append(act)

    def multiply_rates(self, factor: Factor) -> None:
        """Multiply the learning rate of every step; schedules and callbacks go on unaffected."""
        self._factors.append(factor)

    def first_rate(self, optimizer: keras.Optimizer) -> float:
        """The initial learning rate of an optimizer, whatever schedules and callbacks did since."""
        if optimizer not in self._first:
            self._first[optimizer] = _rate_made_with(optimizer)
        return self._first[optimizer]

    def without_schedule(self, optimizer: keras.Optimizer) -> float:
        """What the learning rate of this step is to be multiplied by to be the first one."""
        now = rate_of(optimizer)
        return self.first_rate(optimizer) / now if now else 1.0

    def skip(self) -> None:
        """Leave the weights alone in the step that is about to be taken."""
        if self._step is not None:
            self._step.skipped = True

    def _build(
        self, original: Function, optimizer: keras.Optimizer, variables: Sequence[keras.Variable]
    ) -> object:
        if not isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
            # Now: a callback may set another learning rate before the first step.
            self.first_rate(optimizer)
            for act in self._on_optimizer:
                act(optimizer)
        return original(optimizer, variables)

    def _apply(
        self, original: Function, optimizer: keras.Optimizer, *args: object, **kwargs: object
    ) -> object:
        outer = self._step
        step = self._step = _Step(optimizer, self._times(optimizer))
        try:
            done = original(optimizer, *args, **kwargs)
        finally:
            self._step = outer
        if step.begun:
            for act in self._after:
                act(optimizer)
            self._program.taken += 1
        return done

    def _times(self, optimizer: keras.Optimizer) -> float:
        """What all factors together make of the learning rate."""
        if not self._factors:
            return 1.0
        rate = StepRate(self.first_rate(optimizer), rate_of(optimizer), self._program.taken)
        return math.prod(factor(rate) for factor in self._factors)

    def _begin(self, original: Function, optimizer: keras.Optimizer, grads: Sequence[torch.Tensor]) -> object:
        # Asked for once, right before weights change: not while gradients are accumulated.
        if self._step is not None:
            self._step.begun = True
            for act in self._before:
                act(optimizer, grads)
        return original(optimizer, grads)

    def _multiplied(self, original: Callable[..., float], optimizer: keras.Optimizer) -> float:
        rate = original(optimizer)
        step = self._step
        if step is None or step.optimizer is not optimizer or step.times == 1.0:
            return rate
        return rate * step.times

    def _unless_skipped(self, original: Function, optimizer: keras.Optimizer, *args: object) -> object:
        if self._step is not None and self._step.skipped:
            return None
        return original(optimizer, *args)


def rate_of(optimizer: keras.Optimizer) -> float:
    """The learning rate of an optimizer now."""
    return float(keras.ops.convert_to_numpy(optimizer.learning_rate))


def _rate_made_with(optimizer: keras.Optimizer) -> float:
    schedule = optimizer._learning_rate
    if not isinstance(schedule, keras.optimizers.schedules.LearningRateSchedule):
        return rate_of(optimizer)
    config = schedule.get_config()
    named = [config.get(name) for name in _LARGEST_RATES]
    rates = [float(value) for value in [*named, *config.get("values", ())] if isinstance(value, int | float)]
    return max(rates, default=rate_of(optimizer))
