"""What odd trainings have in common."""

import torch
from torch import nn
from torch.nn import functional

from tests.promises.trainings import randomness, state_of

STEPS = 12


def ends(model: nn.Module, optimizer: torch.optim.Optimizer, *more: object) -> tuple[object, ...]:
    """What a training leaves behind."""
    return state_of(model, optimizer), randomness(), more


def mlp() -> nn.Sequential:
    """An ordinary model."""
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def fit(model: nn.Module, optimizer: torch.optim.Optimizer, *more: object) -> tuple[object, ...]:
    """The ordinary loop around whatever is odd about the model or the optimizer."""
    losses = []
    for _ in range(STEPS):
        x = torch.randn(6, 4)
        optimizer.zero_grad()
        loss = functional.mse_loss(model(x).float(), x.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return ends(model, optimizer, losses, *more)
