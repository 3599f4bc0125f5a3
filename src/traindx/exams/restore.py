"""A model, its optimizer and all random numbers, put back as they were after an exam."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from traindx.recorder.guard import Unheard
from traindx.recorder.hooks.attachment import attached
from traindx.recorder.recorder import Recorder

Restore = Callable[[], None]
_HELD = ("_parameters", "_buffers", "_modules")
"""What a module keeps in dictionaries of their own; hooks are left alone, for an exam puts up none."""


@contextmanager
def restored(model: nn.Module) -> Iterator[None]:
    """A stretch of code after which modes, gradients, buffers, attributes and chance are what they were.

    Within it no parameter has a gradient, graphs are built, and a recorder in this process hears nothing.
    """
    restorers = [_attributes(model), _modes(model), _buffers(model), _gradients(model), random_numbers()]
    with _unheard(), _at_the_end(restorers), torch.inference_mode(False), torch.enable_grad():
        yield


@contextmanager
def restored_training(model: nn.Module, optimizer: Optimizer) -> Iterator[Restore]:
    """Put everything back at the end, and whenever the function it gives is called.

    That is parameters, buffers (those of batch normalization too), gradients, modes, the state and the
    settings of the optimizer, and all random numbers. Tensors stay the same objects.
    """
    restorers = [
        _tensors(model, optimizer),
        _modes(model),
        _settings(optimizer),
        _state(optimizer),
        random_numbers(),
    ]
    with _at_the_end(restorers) as restore:
        yield restore


@contextmanager
def _at_the_end(restorers: Sequence[Restore]) -> Iterator[Restore]:
    def restore() -> None:
        for undo in restorers:
            undo()

    try:
        yield restore
    finally:
        restore()


def _tensors(model: nn.Module, optimizer: Optimizer) -> Restore:
    held = [*model.parameters(), *model.buffers()]
    held += [parameter for group in optimizer.param_groups for parameter in group["params"]]
    unique = list({id(tensor): tensor for tensor in held}.values())
    kept = [(tensor, _kept(tensor), tensor.grad, _kept(tensor.grad)) for tensor in unique]

    def restore() -> None:
        for tensor, back, gradient, gradient_back in kept:
            back()
            gradient_back()
            tensor.grad = gradient

    return restore


def _modes(model: nn.Module) -> Restore:
    kept = [(module, module.training) for module in model.modules()]

    def restore() -> None:
        for module, training in kept:
            # A scripted module keeps its mode elsewhere; an exported one refuses to be told what it is in.
            if module.training != training:
                module.training = training

    return restore


def _settings(optimizer: Optimizer) -> Restore:
    """Rates and the like: some are tensors, which a step may change in place."""
    kept = [
        (group, {name: _kept(group[name]) for name in group if name != "params"})
        for group in optimizer.param_groups
    ]

    def restore() -> None:
        for group, settings in kept:
            for name in [name for name in group if name != "params" and name not in settings]:
                del group[name]
            group.update({name: back() for name, back in settings.items()})

    return restore


def _state(optimizer: Optimizer) -> Restore:
    kept = {
        parameter: {name: _kept(value) for name, value in state.items()}
        for parameter, state in optimizer.state.items()
    }

    def restore() -> None:
        for parameter in [key for key in optimizer.state if key not in kept]:
            del optimizer.state[parameter]
        for parameter, state in kept.items():
            held = optimizer.state[parameter]
            held.clear()
            held.update({name: back() for name, back in state.items()})

    return restore


def _kept(value: object) -> "Callable[[], object]":
    """What gives a value back as it is now: a tensor as the same object with the same numbers."""
    if not isinstance(value, Tensor):
        copy = deepcopy(value)
        return lambda: deepcopy(copy)
    numbers = value.detach().clone()

    def back() -> Tensor:
        with torch.no_grad():
            value.copy_(numbers)
        return value

    return back


def random_numbers() -> Restore:
    """What sets all random numbers back to where they are now."""
    plain, arrays, here = random.getstate(), np.random.get_state(), torch.get_rng_state()
    there = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None

    def restore() -> None:
        random.setstate(plain)
        np.random.set_state(arrays)
        torch.set_rng_state(here)
        if there is not None:
            torch.cuda.set_rng_state_all(there)

    return restore


def _gradients(model: nn.Module) -> Restore:
    """Put the gradients themselves aside: nothing is added to them, nothing is copied."""
    before = [(parameter, parameter.grad) for parameter in model.parameters()]
    for parameter, _ in before:
        parameter.grad = None

    def restore() -> None:
        for parameter, gradient in before:
            parameter.grad = gradient

    return restore


def _buffers(model: nn.Module) -> Restore:
    kept = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]

    def restore() -> None:
        for buffer, values in kept:
            if not torch.equal(buffer, values):
                # Not in sight of autograd: a backward pass of the program's own may still want to use it.
                buffer.data.copy_(values)

    return restore


def _attributes(model: nn.Module) -> Restore:
    plain = [module for module in model.modules() if not isinstance(module, torch.jit.ScriptModule)]
    kept = [
        (module, dict(vars(module)), {name: dict(vars(module)[name]) for name in _HELD}) for module in plain
    ]

    def restore() -> None:
        for module, own, held in kept:
            _put_back(module, own, held)

    return restore


def _put_back(module: nn.Module, own: dict[str, object], held: dict[str, dict[str, object]]) -> None:
    """Undo what a forward pass bound anew: counters, states carried along, caches."""
    now = vars(module)
    for name in [name for name in now if name not in own]:
        del now[name]
    now.update(own)
    for name, members in held.items():
        kept = now[name]
        # By identity and in order: tensors do not compare as a whole.
        if list(map(id, kept.values())) != list(map(id, members.values())):
            kept.clear()
            kept.update(members)


@contextmanager
def _unheard() -> Iterator[None]:
    """Let the recorder of this process, if there is one, hear nothing: an exam is no part of the training."""
    attachment = attached()
    if attachment is None:
        yield
        return
    recorder = attachment.recorder
    if recorder.writer.is_open:
        # Writes what it has, and ends a stretch of plain steps, which are not told as events.
        recorder.flush()
    events = [
        name for name, value in vars(Recorder).items() if getattr(value, "__wrapped__", None) is not None
    ]
    with Unheard(recorder, *events):
        yield
