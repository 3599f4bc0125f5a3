"""Small trainings inside the test's own process, and everything about them that must stay the same."""

import random
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers
from torch.utils.data import DataLoader, TensorDataset

STEPS = 30


@dataclass(frozen=True)
class Result:
    """What a training leaves behind, exactly."""

    losses: tuple[float, ...]
    state: tuple[bytes, ...]
    randomness: tuple[object, ...]


Watching = Callable[[nn.Module, torch.optim.Optimizer], AbstractContextManager[object]]


def everything(
    epochs: int = 3, watching: Watching | None = None, *, scaled: bool = True
) -> tuple[nn.Module, Result]:
    """A training that uses all that is watched: loaders, validation, scaling, clipping, a schedule."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    random.seed(0)
    x = torch.randn(96, 6)
    y = (x.sum(1) > 0).long()
    train = DataLoader(TensorDataset(x[:80], y[:80]), batch_size=8, shuffle=True)
    val = DataLoader(TensorDataset(x[80:], y[80:]), batch_size=8)
    model = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Dropout(0.1), nn.Linear(12, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10, gamma=0.5)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127, growth_interval=1000, enabled=scaled)
    losses = []
    with watching(model, optimizer) if watching else nullcontext():
        for _ in range(epochs):
            for inputs, labels in train:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs), labels)
                scaler.scale(loss).backward()
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
                schedule.step()
                losses.append(loss.item())
            model.eval()
            with torch.no_grad():
                losses += [nn.functional.cross_entropy(model(xs), ys).item() for xs, ys in val]
            model.train()
    return model, Result(tuple(losses), state_of(model, optimizer), randomness())


def state_of(model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[bytes, ...]:
    """Parameters, buffers and the optimizer's memory, bit by bit."""
    remembered = [value for state in optimizer.state.values() for value in state.values()]
    tensors = [*model.state_dict().values(), *(value for value in remembered if isinstance(value, Tensor))]
    return tuple(tensor.detach().numpy().tobytes() for tensor in tensors)


def randomness() -> tuple[object, ...]:
    """Where the generators stand."""
    return torch.get_rng_state().numpy().tobytes(), random.getstate()


def hooks_on(model: nn.Module) -> list[str]:
    """Every hook on a module or a parameter of a model."""
    on_modules = [
        f"{name}.{attribute}"
        for name, module in model.named_modules()
        for attribute, value in vars(module).items()
        if attribute.endswith("_hooks") and value
    ]
    on_parameters = [
        name
        for name, parameter in model.named_parameters()
        if parameter._backward_hooks or parameter._post_accumulate_grad_hooks
    ]
    return on_modules + on_parameters


def surface() -> dict[str, object]:
    """Every function of torch that anyone can call, every global hook, and how Python tells of errors."""
    attributes: dict[str, object] = {
        "sys.excepthook": sys.excepthook,
        "sys.meta_path": tuple(sys.meta_path),
    }
    for owner in (modules, optimizers):
        for name, value in vars(owner).items():
            if name.startswith("_global") and isinstance(value, dict):
                attributes[f"{owner.__name__}.{name}"] = tuple(value.values())
    for owner, name, value in _functions():
        attributes[f"{owner}.{name}"] = value
    return attributes


def _functions() -> Iterator[tuple[str, str, object]]:
    # By type(): some of torch's objects warn when they are asked for their class.
    kinds = (types.FunctionType, types.BuiltinFunctionType, classmethod, staticmethod)
    visited: set[int] = set()
    for title, module in list(sys.modules.items()):
        if title != "torch" and not title.startswith("torch."):
            continue
        for name, value in list(vars(module).items()):
            if issubclass(type(value), kinds):
                yield title, name, value
            elif (
                issubclass(type(value), type)
                and id(value) not in visited
                and value.__module__.startswith("torch")
            ):
                visited.add(id(value))
                for method, function in list(vars(value).items()):
                    if isinstance(function, kinds):
                        yield f"{value.__module__}.{value.__qualname__}", method, function


def changed(before: dict[str, object], after: dict[str, object]) -> list[str]:
    """What is not what it was; modules that torch imports later are its own affair."""
    return sorted(
        name
        for name, value in before.items()
        if name in after and after[name] is not value and after[name] != value
    )
