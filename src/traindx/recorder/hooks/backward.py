"""Backward passes, and the scaling of losses before them."""

import weakref
from collections.abc import Sequence
from functools import partial, wraps
from time import perf_counter

import torch
from torch import Tensor
from torch.amp.grad_scaler import GradScaler

from traindx.recorder.guard import guarded
from traindx.recorder.hooks.monkeypatch import Function, Patches, unseen
from traindx.recorder.hooks.optimizers import TORCH, Optimizers
from traindx.recorder.hooks.torch_backend import ordinary
from traindx.recorder.recorder import Recorder


class Scaling:
    """The loss that was scaled last, and what it was before."""

    def __init__(self) -> None:
        self._scaled: weakref.ref[Tensor] | None = None
        self._loss: Tensor | None = None

    def note(self, loss: object, scaled: object) -> None:
        """A loss was scaled."""
        if isinstance(loss, Tensor) and isinstance(scaled, Tensor):
            self._scaled, self._loss = weakref.ref(scaled), loss

    def unscaled(self, value: Tensor) -> Tensor:
        """The loss behind a scaled one, once; others as they are."""
        known, loss = self._scaled, self._loss
        self._scaled = self._loss = None
        return loss if known is not None and loss is not None and known() is value else value


def watch_backward(recorder: Recorder, patches: Patches, optimizers: Optimizers) -> Scaling:
    """Watch backward passes; `Tensor.backward` calls the function that is wrapped here.

    What is returned takes note of losses that others than torch scale.
    """
    scaling = Scaling()
    patches.replace(
        torch.autograd, "backward", lambda original: _watched(original, recorder, scaling, optimizers)
    )
    patches.wrap(GradScaler, "scale", partial(_scale, recorder, scaling))
    patches.wrap(GradScaler, "step", partial(_step, recorder, optimizers))
    return scaling


def _watched(original: Function, recorder: Recorder, scaling: Scaling, optimizers: Optimizers) -> Function:
    running = False
    fast_path = recorder.fast_path

    @wraps(original)
    def backward(*args: object, **kwargs: object) -> object:
        nonlocal running
        loss = args[0] if args else kwargs.get("tensors")
        if (
            running
            or not fast_path.is_open
            or type(loss) is not Tensor
            or not fast_path.backward_begins(loss)
        ):
            loss = _loss_among(loss)
            # Checkpointed modules run backward passes of their own inside the one that counts.
            if loss is None or running or torch.compiler.is_compiling():
                return original(*args, **kwargs)
            recorder.backward_begins(scaling.unscaled(loss))
        running = True
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            running = False
            recorder.backward_failed(loss)
            unseen(error)
            raise
        running = False
        if fast_path.is_open:
            times, now = fast_path.times, perf_counter()
            times.backward += now - times.asked
            times.asked = now
        else:
            guarded(recorder, "finding optimizers", optimizers.look_for_others)
            recorder.backward_ends()
        return result

    return backward


def _loss_among(tensors: object) -> Tensor | None:
    first = tensors[0] if isinstance(tensors, Sequence) and tensors else tensors
    return ordinary(first)


def _scale(
    recorder: Recorder, scaling: Scaling, original: Function, scaler: GradScaler, outputs: object
) -> object:
    scaled = original(scaler, outputs)

    def tell() -> None:
        if not scaler.is_enabled():
            return
        scaling.note(outputs, scaled)
        factor = scaler._scale
        # Reading it from another device would wait for that device.
        if factor is not None and factor.is_cpu:
            recorder.scaled(float(factor))

    guarded(recorder, "recording loss scales", tell)
    return scaled


def _step(
    recorder: Recorder,
    optimizers: Optimizers,
    original: Function,
    scaler: GradScaler,
    optimizer: object,
    *args: object,
    **kwargs: object,
) -> object:
    before = optimizers.steps
    result = original(scaler, optimizer, *args, **kwargs)
    if optimizers.steps == before and isinstance(optimizer, torch.optim.Optimizer):
        recorder.update_skipped(optimizer, TORCH)
    return result
