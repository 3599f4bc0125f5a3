"""Leaving a model, chance and a recorder as they were, whatever an exam does in between."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch import nn

from traindx.exams.untouched import random_numbers
from traindx.recorder.hooks.attachment import attached
from traindx.recorder.hooks.guarding import Unheard
from traindx.recorder.recorder import Recorder

_HELD = ("_parameters", "_buffers", "_modules")
"""What a module keeps in dictionaries of their own; hooks are left alone, for an exam puts up none."""


@contextmanager
def as_it_was(model: nn.Module) -> Iterator[None]:
    """A stretch of code after which modes, gradients, buffers, attributes and chance are what they were.

    Within it no parameter has a gradient, graphs are built, and a recorder in this process hears nothing.
    """
    with ExitStack() as stack:
        stack.enter_context(_unheard())
        stack.enter_context(_same_chance())
        stack.enter_context(_same_gradients(model))
        stack.enter_context(_same_state(model))
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        yield


@contextmanager
def _same_chance() -> Iterator[None]:
    restore = random_numbers()
    try:
        yield
    finally:
        restore()


@contextmanager
def _same_gradients(model: nn.Module) -> Iterator[None]:
    """The gradients themselves are put aside and back: nothing is added to them, nothing is copied."""
    before = [(parameter, parameter.grad) for parameter in model.parameters()]
    for parameter, _ in before:
        parameter.grad = None
    try:
        yield
    finally:
        for parameter, gradient in before:
            parameter.grad = gradient


@contextmanager
def _same_state(model: nn.Module) -> Iterator[None]:
    modules = list(model.modules())
    modes = [module.training for module in modules]
    plain = [one for one in modules if not isinstance(one, torch.jit.ScriptModule)]
    attributes = [(one, dict(vars(one)), {name: dict(vars(one)[name]) for name in _HELD}) for one in plain]
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    try:
        yield
    finally:
        for module, own, held in attributes:
            _put_back(module, own, held)
        for module, mode in zip(modules, modes, strict=True):
            # A scripted module keeps its mode elsewhere; an exported one refuses to be told what it is in.
            if module.training != mode:
                module.training = mode
        for buffer, values in buffers:
            if not torch.equal(buffer, values):
                # Not in sight of autograd: a backward pass of the program's own may still want to use it.
                buffer.data.copy_(values)


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
    if recorder.tape.is_open:
        # Writes what it has, and ends a stretch of plain steps, which are not told as events.
        recorder.flush()
    events = [name for name, one in vars(Recorder).items() if getattr(one, "__wrapped__", None) is not None]
    with Unheard(recorder, *events):
        yield
