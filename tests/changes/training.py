"""A few steps of a training as people write it, seen from inside."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import SGD, Optimizer

from tests.changes.changing import STEPS

Made = Callable[..., nn.Module]


def net(*inside: nn.Module) -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), *(inside or (nn.ReLU(),)), nn.Linear(8, 3))


@dataclass
class Seen:
    """What a training looked like from inside."""

    model: nn.Module
    optimizer: Optimizer
    rates: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)


def train(
    made: Made = net,
    optimizer: Callable[..., Optimizer] = SGD,
    loss: Callable[[Tensor, Tensor], Tensor] | None = None,
    *,
    inputs: Tensor | None = None,
    targets: Tensor | None = None,
    clears: bool = True,
    passes: int = 1,
    clip: float = 0.0,
    steps: int = STEPS,
    **settings: object,
) -> Seen:
    """A few steps of a training as people write it."""
    torch.manual_seed(0)
    model = made()
    rows = torch.randn(32, 4) if inputs is None else inputs
    wanted = torch.randint(3, (len(rows),)) if targets is None else targets
    steering = optimizer(model.parameters(), **{"lr": 0.1, **settings})
    training = Seen(model, steering)
    compute = loss or functional.cross_entropy
    for _ in range(steps):
        if clears:
            steering.zero_grad()
        for _ in range(passes):
            value = compute(model(rows), wanted)
            value.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        steering.step()
        held = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        training.norms.append(float(nn.utils.get_total_norm(held)) if held else 0.0)
        training.losses.append(float(value.detach()))
        training.rates.append(float(steering.param_groups[0]["lr"]))
    return training


def moved(seen: Seen, made: Made = net) -> float:
    """How far the weights came from where they began."""
    torch.manual_seed(0)
    pairs = zip(seen.model.parameters(), made().parameters(), strict=True)
    return math.sqrt(sum(float((first - other).detach().square().sum()) for first, other in pairs))
