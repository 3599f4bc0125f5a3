"""Steps of Keras' optimizers on torch, which accumulate, clip and decay by themselves."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from weakref import WeakKeyDictionary

import keras
from keras.src.backend.torch.optimizers.torch_optimizer import TorchOptimizer
from keras.src.backend.torch.optimizers.torch_parallel_optimizer import TorchParallelOptimizer
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.optimizers.loss_scale_optimizer import LossScaleOptimizer
from torch import Tensor

from traindx.changes.live.program import Program

OnOptimizer = Callable[[BaseOptimizer], None]
OnGradients = Callable[[BaseOptimizer, Sequence[Tensor]], None]
Factor = Callable[[BaseOptimizer, int], float]
"""What the rate is multiplied by, from the optimizer and the number of steps taken."""

_LARGEST_RATES = ("initial_learning_rate", "warmup_target")
"""Under which names schedules keep the rate they are made for."""


@dataclass
class _Step:
    """The application of gradients that runs."""

    optimizer: BaseOptimizer
    times: float
    """What the rate is multiplied by."""
    begun: bool = False
    """Whether weights change: gradients may only be accumulated."""
    skipped: bool = False


class KerasSteps:
    """What can be done to an optimizer, its rate, and the gradients of each step."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._on_optimizer: list[OnOptimizer] = []
        self._before: list[OnGradients] = []
        self._after: list[OnOptimizer] = []
        self._factors: list[Factor] = []
        self._first: WeakKeyDictionary[BaseOptimizer, float] = WeakKeyDictionary()
        self._step: _Step | None = None

    def install(self) -> None:
        """Take hold of all optimizers."""
        patches = self._program.patches
        patches.replace(BaseOptimizer, "build", self._builds)
        patches.replace(BaseOptimizer, "apply", self._applies)
        patches.replace(BaseOptimizer, "_clip_gradients", self._begins)
        patches.replace(BaseOptimizer, "_get_current_learning_rate", self._multiplied)
        for owner in (BaseOptimizer, TorchOptimizer):
            patches.replace(owner, "_apply_weight_decay", self._unless_skipped)
        for owner in (BaseOptimizer, TorchParallelOptimizer):
            patches.replace(owner, "_backend_update_step", self._unless_skipped)

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
        """Multiply the rate of every step: schedules and callbacks go on as if nothing had happened."""
        self._factors.append(factor)

    def first_rate(self, optimizer: BaseOptimizer) -> float:
        """The rate an optimizer was made with, whatever schedules and callbacks have done to it since."""
        if optimizer not in self._first:
            self._first[optimizer] = _rate_made_with(optimizer)
        return self._first[optimizer]

    def without_schedule(self, optimizer: BaseOptimizer) -> float:
        """What the rate of this step is to be multiplied by to be the first one."""
        now = rate_of(optimizer)
        return self.first_rate(optimizer) / now if now else 1.0

    def skip(self) -> None:
        """Leave the weights alone in the step that is about to be taken."""
        if self._step is not None:
            self._step.skipped = True

    def _builds(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def build(optimizer: BaseOptimizer, variables: "Sequence[keras.Variable]") -> object:
            if not isinstance(optimizer, LossScaleOptimizer):
                # Now: a callback may set another rate before the first step.
                self.first_rate(optimizer)
                for act in self._on_optimizer:
                    act(optimizer)
            return original(optimizer, variables)

        return build

    def _applies(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def apply(optimizer: BaseOptimizer, *args: object, **kwargs: object) -> object:
            outer = self._step
            times = math.prod(factor(optimizer, self._program.taken) for factor in self._factors)
            step = self._step = _Step(optimizer, times)
            try:
                done = original(optimizer, *args, **kwargs)
            finally:
                self._step = outer
            if step.begun:
                for act in self._after:
                    act(optimizer)
                self._program.taken += 1
            return done

        return apply

    def _begins(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def _clip_gradients(optimizer: BaseOptimizer, grads: Sequence[Tensor]) -> object:
            # Asked for once, right before weights change: not while gradients are accumulated.
            if self._step is not None:
                self._step.begun = True
                for act in self._before:
                    act(optimizer, grads)
            return original(optimizer, grads)

        return _clip_gradients

    def _multiplied(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def _get_current_learning_rate(optimizer: BaseOptimizer) -> object:
            rate = original(optimizer)
            step = self._step
            if step is None or step.optimizer is not optimizer or step.times == 1.0:
                return rate
            return rate * step.times  # type: ignore[operator]  # a number, a tensor or a variable

        return _get_current_learning_rate

    def _unless_skipped(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def change_weights(optimizer: BaseOptimizer, *args: object) -> object:
            if self._step is not None and self._step.skipped:
                return None
            return original(optimizer, *args)

        return change_weights


def rate_of(optimizer: BaseOptimizer) -> float:
    """The rate of an optimizer now."""
    return float(keras.ops.convert_to_numpy(optimizer.learning_rate))


def _rate_made_with(optimizer: BaseOptimizer) -> float:
    schedule = optimizer._learning_rate
    if not isinstance(schedule, keras.optimizers.schedules.LearningRateSchedule):
        return rate_of(optimizer)
    config = schedule.get_config()
    named = [config.get(name) for name in _LARGEST_RATES]
    rates = [float(one) for one in [*named, *config.get("values", ())] if isinstance(one, int | float)]
    return max(rates, default=rate_of(optimizer))
