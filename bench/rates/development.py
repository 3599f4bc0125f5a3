"""Trainings that the search for a rate was developed on: none of them counts for the score."""

import numpy as np
import torch
from sklearn.datasets import load_diabetes, load_digits, make_friedman1, make_moons
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss
from torch.optim import SGD, Adam, AdamW, RMSprop

from rates.task import Setting, Task, answers, drawn, explained, halves


def _digits() -> tuple[Tensor, Tensor]:
    data = load_digits()
    return torch.tensor(data.data / 16 - 0.3, dtype=torch.float32), torch.tensor(data.target)


def _digits_mlp(seed: int) -> Setting:
    torch.manual_seed(seed)
    training, held = halves(*_digits(), seed)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    return Setting(model, drawn(*training, 32, 400, seed), cross_entropy, answers(held))


def _digits_conv(seed: int) -> Setting:
    torch.manual_seed(seed)
    x, y = _digits()
    training, held = halves(x.view(-1, 1, 8, 8), y, seed)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(256, 10),
    )
    return Setting(model, drawn(*training, 32, 300, seed), cross_entropy, answers(held))


def _diabetes(seed: int) -> Setting:
    torch.manual_seed(seed)
    data = load_diabetes()
    x = torch.tensor(data.data * 20, dtype=torch.float32)
    y = torch.tensor((data.target - 150) / 77, dtype=torch.float32)[:, None]
    training, held = halves(x, y, seed)
    model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Dropout(0.2), nn.Linear(32, 1))
    return Setting(model, drawn(*training, 16, 300, seed), mse_loss, explained(held))


def _moons(seed: int) -> Setting:
    torch.manual_seed(seed)
    x, y = make_moons(800, noise=0.15, random_state=seed)
    training, held = halves(torch.tensor(x, dtype=torch.float32), torch.tensor(y), seed)
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
    return Setting(model, drawn(*training, 16, 500, seed), cross_entropy, answers(held))


def _autoencoder(seed: int) -> Setting:
    torch.manual_seed(seed)
    x, _ = _digits()
    training, held = halves(x, x, seed)
    model = nn.Sequential(
        nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 12), nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 64)
    )
    return Setting(model, drawn(*training, 32, 400, seed), mse_loss, explained(held))


class Recurrent(nn.Module):
    """A recurrent network that names the next letter."""

    def __init__(self, letters: int, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, 16)
        self.recurrence = nn.GRU(16, size, batch_first=True)
        self.head = nn.Linear(size, letters)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.recurrence(self.embedding(x))
        return self.head(states).transpose(1, 2)


def chain(letters: int, length: int, rows: int, seed: int, sharp: float) -> Tensor:
    """Sequences of a random Markov chain."""
    chance = np.random.default_rng(seed)
    odds = chance.gumbel(size=(letters, letters)) * sharp
    table = np.exp(odds - odds.max(1, keepdims=True))
    edges = np.cumsum(table / table.sum(1, keepdims=True), axis=1)
    states = np.zeros((rows, length), dtype=np.int64)
    states[:, 0] = chance.integers(letters, size=rows)
    for at in range(1, length):
        states[:, at] = (edges[states[:, at - 1]] < chance.random((rows, 1))).sum(1).clip(0, letters - 1)
    return torch.tensor(states)


def _letters(seed: int) -> Setting:
    torch.manual_seed(seed)
    rows = chain(24, 25, 900, seed, 2.0)
    training, held = halves(rows[:, :-1], rows[:, 1:], seed)
    return Setting(Recurrent(24, 32), drawn(*training, 16, 300, seed), cross_entropy, answers(held))


def _friedman(seed: int) -> Setting:
    torch.manual_seed(seed)
    x, y = make_friedman1(1500, 10, noise=0.5, random_state=seed)
    inputs = torch.tensor(2 * x - 1, dtype=torch.float32)
    targets = torch.tensor((y - y.mean()) / y.std(), dtype=torch.float32)[:, None]
    training, held = halves(inputs, targets, seed)
    layers = [
        nn.Linear(10, 48),
        nn.ReLU(),
        nn.Linear(48, 48),
        nn.ReLU(),
        nn.Linear(48, 48),
        nn.ReLU(),
        nn.Linear(48, 1),
    ]
    return Setting(nn.Sequential(*layers), drawn(*training, 32, 600, seed), mse_loss, explained(held))


TASKS = (
    Task("digits-mlp-sgd", _digits_mlp, lambda p, r: SGD(p, r, momentum=0.9), 0.01),
    Task("digits-conv-adam", _digits_conv, Adam, 1e-3),
    Task("diabetes-adam", _diabetes, Adam, 1e-3),
    Task("moons-plain-sgd", _moons, SGD, 0.01),
    Task("autoencoder-rmsprop", _autoencoder, RMSprop, 1e-3),
    Task("letters-gru-adamw", _letters, AdamW, 1e-3),
    # It was to count, until two of its five seeds showed that noise can hide where a range test is lowest.
    Task("friedman-deep-sgd", _friedman, lambda p, r: SGD(p, r, momentum=0.9, weight_decay=1e-4), 0.01),
)
