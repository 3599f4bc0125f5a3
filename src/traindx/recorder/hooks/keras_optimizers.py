"""Steps of Keras' optimizers on torch, which unscale, accumulate and clip gradients themselves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast
from weakref import WeakKeyDictionary

import keras
import torch
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.backend.torch.optimizers.torch_parallel_optimizer import TorchParallelOptimizer
from keras.src.optimizers import base_optimizer
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.optimizers.loss_scale_optimizer import LossScaleOptimizer
from torch import Tensor

from traindx.recorder.guard import guarded
from traindx.recorder.hooks.backward import Scaling
from traindx.recorder.hooks.keras_epochs import settings_of
from traindx.recorder.hooks.monkeypatch import Function, Patches
from traindx.recorder.recorder import Recorder
from traindx.recorder.streams import Holder
from traindx.run import Fact, Scalar

_WHAT = "recording Keras optimizers"


@dataclass
class _Step:
    """The application of gradients that runs."""

    optimizer: BaseOptimizer
    variables: "Sequence[keras.Variable]"
    gradients: Sequence[Tensor | None]
    begun: bool = False
    """Whether parameters change: gradients may only be accumulated."""

    def is_of(self, applied: Sequence[Tensor]) -> bool:
        """Whether the gradients that are applied are those that torch keeps with the parameters."""
        # All are unscaled and accumulated alike: one of them tells.
        pairs = zip(self.variables, self.gradients, strict=False)
        first = next((parameter for parameter, gradient in pairs if gradient is not None), None)
        return first is not None and bool(applied) and first._value.grad is applied[0]

    @property
    def parameters(self) -> list[Tensor]:
        """Those that were given a gradient."""
        pairs = zip(self.variables, self.gradients, strict=True)
        return [parameter._value for parameter, gradient in pairs if gradient is not None]


class KerasOptimizers:
    """Follows gradients from where they are given to an optimizer to where they have been applied."""

    def __init__(self, recorder: Recorder, changed: Callable[[], None], scaling: Scaling) -> None:
        """`changed` is called when the recorder may have changed its mind about modules."""
        self._recorder, self._changed, self._scaling = recorder, changed, scaling
        self._kind = Holder(parameters=_parameters, rates=self._rates_of, settings=_settings)
        self._rates: WeakKeyDictionary[BaseOptimizer, float] = WeakKeyDictionary()
        self._versions: WeakKeyDictionary[BaseOptimizer, int] = WeakKeyDictionary()
        self._step: _Step | None = None
        self._norm: Tensor | None = None
        """The norm by which the gradients at hand are clipped."""

    def install(self, patches: Patches) -> None:
        """Watch all optimizers."""
        patches.wrap(BaseOptimizer, "__init__", self._made)
        patches.wrap(BaseOptimizer, "apply", self._apply)
        patches.wrap(BaseOptimizer, "_clip_gradients", self._clip)
        patches.wrap(base_optimizer, "global_norm", self._measure)
        for owner in (BaseOptimizer, TorchParallelOptimizer):
            patches.wrap(owner, "_backend_update_step", self._update)
        for owner in (BaseOptimizer, LossScaleOptimizer):
            patches.wrap(owner, "scale_loss", self._scale_loss)
        patches.wrap(LossScaleOptimizer, "_stateful_handle_non_finite_grads", self._leave_out)

    def tell(self, optimizer: BaseOptimizer) -> None:
        """Tell of an optimizer that exists."""
        self._recorder.optimizer_made(_stepping(optimizer), self._kind)
        self._changed()

    def _made(self, original: Function, optimizer: BaseOptimizer, *args: object, **kwargs: object) -> None:
        original(optimizer, *args, **kwargs)
        if not isinstance(optimizer, LossScaleOptimizer):
            guarded(self._recorder, _WHAT, lambda: self.tell(optimizer))

    def _apply(
        self,
        original: Function,
        optimizer: BaseOptimizer,
        grads: Sequence[Tensor | None],
        trainable_variables: "Sequence[keras.Variable] | None" = None,
    ) -> None:
        outer = self._step
        variables = optimizer._trainable_variables if trainable_variables is None else trainable_variables
        unseen_by_us = torch.compiler.is_compiling() or in_stateless_scope()
        step = self._step = None if unseen_by_us else _Step(optimizer, variables, grads)
        try:
            original(optimizer, grads, trainable_variables)
        finally:
            self._step = outer
        if step is not None and step.begun:
            self._end(optimizer)

    def _end(self, optimizer: BaseOptimizer) -> None:
        fast_path = self._recorder.fast_path
        if fast_path.is_open and fast_path.update_ends(optimizer):
            return
        if fast_path.is_open:
            self._recorder.fast_path_ends()
        else:
            self._recorder.update_ends(optimizer)
        self._changed()

    def _clip(
        self, original: Function, optimizer: BaseOptimizer, grads: Sequence[Tensor], *args: object
    ) -> object:
        clipped = original(optimizer, grads, *args)
        step = self._step
        # Asked for once, right before parameters change: not while gradients are accumulated.
        if step is not None and step.optimizer is optimizer:
            guarded(self._recorder, _WHAT, lambda: self._begin(step, grads))
        return clipped

    def _begin(self, step: _Step, grads: Sequence[Tensor]) -> None:
        recorder, fast_path = self._recorder, self._recorder.fast_path
        step.begun = True
        norm, self._norm = self._norm, None
        if norm is not None and step.optimizer.global_clipnorm:
            recorder.clipped(norm, float(step.optimizer.global_clipnorm))
        if not step.is_of(grads):
            with _applied(step.parameters, grads):
                recorder.update_begins(step.optimizer, self._kind)
        elif fast_path.is_open and step.optimizer is fast_path.holder:
            fast_path.update_begins()
        else:
            recorder.update_begins(step.optimizer, self._kind)

    def _measure(self, original: Callable[..., Tensor], value_list: Sequence[Tensor]) -> Tensor:
        norm = original(value_list)
        if self._step is not None:
            self._norm = norm
        return norm

    def _update(self, original: Function, optimizer: BaseOptimizer, *args: object) -> object:
        if self._step is not None:
            guarded(self._recorder, _WHAT, lambda: self._note_rate(optimizer, args[2]))
        return original(optimizer, *args)

    def _note_rate(self, optimizer: BaseOptimizer, rate: object) -> None:
        if isinstance(rate, keras.Variable):
            version = rate._value._version
            # Reading a number that has not changed would wait for its device in vain.
            if self._versions.get(optimizer) == version:
                return
            self._versions[optimizer] = version
            rate = rate._value
        self._rates[optimizer] = float(rate.detach() if isinstance(rate, Tensor) else cast(float, rate))

    def _rates_of(self, holder: object) -> Sequence[float]:
        rate = self._rates.get(holder)
        return [] if rate is None else [rate]

    def _scale_loss(self, original: Function, optimizer: BaseOptimizer, loss: object) -> object:
        scaled = original(optimizer, loss)
        if scaled is not loss and not torch.compiler.is_compiling():
            guarded(self._recorder, _WHAT, lambda: self._note_scale(optimizer, loss, scaled))
        return scaled

    def _note_scale(self, optimizer: BaseOptimizer, loss: object, scaled: object) -> None:
        self._scaling.note(loss, scaled)
        self._recorder.scaled(_scale(optimizer))

    def _leave_out(self, original: Function, optimizer: LossScaleOptimizer) -> object:
        skipped = self._recorder.update_skipped
        guarded(self._recorder, _WHAT, lambda: skipped(_stepping(optimizer), self._kind))
        return original(optimizer)


def _stepping(optimizer: BaseOptimizer) -> BaseOptimizer:
    """The optimizer that takes the steps."""
    return optimizer.inner_optimizer if isinstance(optimizer, LossScaleOptimizer) else optimizer


def _scale(optimizer: BaseOptimizer) -> float:
    """The factor of the loss; 0 where reading it would wait for a device."""
    if not isinstance(optimizer, LossScaleOptimizer):
        return float(optimizer.loss_scale_factor or 0.0)
    if not optimizer.built:
        return float(optimizer.initial_scale)
    value = optimizer.dynamic_scale._value
    return float(value) if value.is_cpu else 0.0


@contextmanager
def _applied(parameters: Sequence[Tensor], gradients: Sequence[Tensor]) -> Iterator[None]:
    """For a moment the gradients that are applied: unscaled and accumulated ones lie elsewhere."""
    kept = [parameter.grad for parameter in parameters]
    try:
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        yield
    finally:
        for parameter, gradient in zip(parameters, kept, strict=True):
            parameter.grad = gradient


def _parameters(holder: object) -> Sequence[Tensor]:
    variables = cast(BaseOptimizer, holder)._trainable_variables
    return [variable._value for variable in variables if isinstance(variable._value, Tensor)]


def _settings(holder: object) -> Mapping[Fact, Scalar]:
    return settings_of(cast(BaseOptimizer, holder))
