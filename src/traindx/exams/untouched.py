"""A model and its optimizer that are, bit for bit, what they were, whatever is done to them meanwhile."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

Restore = Callable[[], None]


@contextmanager
def untouched(model: nn.Module, optimizer: Optimizer) -> Iterator[Restore]:
    """Put everything back at the end, and whenever the function it gives is called.

    That is parameters, buffers (those of batch normalisation too), gradients, modes, the state and the
    settings of the optimizer, and all random numbers. Tensors stay the same objects.
    """
    restorers = [
        _tensors(model, optimizer),
        _modes(model),
        _settings(optimizer),
        _state(optimizer),
        random_numbers(),
    ]

    def restore() -> None:
        for one in restorers:
            one()

    try:
        yield restore
    finally:
        restore()


def _tensors(model: nn.Module, optimizer: Optimizer) -> Restore:
    held = [*model.parameters(), *model.buffers()]
    held += [one for group in optimizer.param_groups for one in group["params"]]
    unique = list({id(one): one for one in held}.values())
    kept = [(one, one.detach().clone(), one.grad, _copied(one.grad)) for one in unique]

    def restore() -> None:
        with torch.no_grad():
            for one, value, gradient, numbers in kept:
                one.copy_(value)
                one.grad = gradient
                if gradient is not None:
                    gradient.copy_(numbers)

    return restore


def _modes(model: nn.Module) -> Restore:
    kept = [(one, one.training) for one in model.modules()]

    def restore() -> None:
        for module, training in kept:
            module.training = training

    return restore


def _settings(optimizer: Optimizer) -> Restore:
    """Rates and the like: some are tensors, which a step may change in place."""
    kept = [
        (group, {name: _kept(group[name]) for name in group if name != "params"})
        for group in _groups(optimizer)
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
        for parameter in [one for one in optimizer.state if one not in kept]:
            del optimizer.state[parameter]
        for parameter, state in kept.items():
            held = optimizer.state[parameter]
            held.clear()
            held.update({name: back() for name, back in state.items()})

    return restore


def _groups(optimizer: Optimizer) -> list[dict[str, object]]:
    return list(optimizer.param_groups)


def _copied(value: Tensor | None) -> Tensor | None:
    return None if value is None else value.detach().clone()


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
