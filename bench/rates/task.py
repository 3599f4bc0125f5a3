"""The type of a training whose best rate is known from a grid."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

Batch = tuple[Tensor, Tensor]
Loss = Callable[[Tensor, Tensor], Tensor]
Steering = Callable[[Iterable[nn.Parameter], float], Optimizer]


@dataclass(frozen=True)
class Setting:
    """One training, ready to begin."""

    model: nn.Module
    batches: Sequence[Batch]
    """One for every step."""
    loss: Loss
    skill: Callable[[nn.Module], float]
    """On data that was not learned from: 1 perfect, 0 no better than a constant guess."""


@dataclass(frozen=True)
class Task:
    """A kind of training, to be made with any seed."""

    name: str
    make: Callable[[int], Setting]
    optimizer: Steering
    usual: float
    """What people would begin with."""


def drawn(x: Tensor, y: Tensor, size: int, steps: int, seed: int) -> list[Batch]:
    """Batches of shuffled epochs, as many as there are steps."""
    generator = torch.Generator().manual_seed(seed)
    batches: list[Batch] = []
    while len(batches) < steps:
        rows = torch.randperm(len(x), generator=generator)
        batches += [(x[part], y[part]) for part in rows.split(size) if len(part) == size]
    return batches[:steps]


def halves(x: Tensor, y: Tensor, seed: int, share: float = 0.7) -> tuple[Batch, Batch]:
    """Rows to learn from, and rows to judge by."""
    rows = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed + 999))
    cut = int(share * len(x))
    return (x[rows[:cut]], y[rows[:cut]]), (x[rows[cut:]], y[rows[cut:]])


def answers(held: Batch) -> Callable[[nn.Module], float]:
    """Right answers beyond those of always naming the commonest class."""
    x, y = held
    chance = float(torch.bincount(y.flatten()).max() / y.numel())

    def skill(model: nn.Module) -> float:
        model.eval()
        with torch.no_grad():
            right = float((model(x).argmax(1) == y).float().mean())
        return (right - chance) / (1 - chance)

    return skill


def explained(held: Batch) -> Callable[[nn.Module], float]:
    """The share of variance that is explained."""
    x, y = held
    spread = float(((y - y.mean(0)) ** 2).mean())

    def skill(model: nn.Module) -> float:
        model.eval()
        with torch.no_grad():
            error = float(((model(x) - y) ** 2).mean())
        return 1 - error / spread if error == error else -1.0

    return skill


def trained(task: Task, seed: int, rate: float) -> float:
    """The skill after the whole training at a rate."""
    setting = task.make(seed)
    optimizer = task.optimizer(setting.model.parameters(), rate)
    setting.model.train()
    for x, y in setting.batches:
        loss = setting.loss(setting.model(x), y)
        if not torch.isfinite(loss):
            return -1.0
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return setting.skill(setting.model)
