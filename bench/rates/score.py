"""Trainings that count: none of them was looked at while the search for a rate was developed."""

from collections.abc import Iterable

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer, load_sample_image, load_wine, make_friedman2
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss, smooth_l1_loss
from torch.optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop

from rates.task import Batch, Setting, Task, answers, drawn, explained, halves


def _scaled(x: np.ndarray, y: np.ndarray) -> Batch:
    centered = (x - x.mean(0)) / x.std(0)
    return torch.tensor(centered, dtype=torch.float32), torch.tensor(y)


def _cancer(seed: int) -> Setting:
    torch.manual_seed(seed)
    data = load_breast_cancer()
    training, held = halves(*_scaled(data.data, data.target), seed)
    model = nn.Sequential(
        nn.Linear(30, 48),
        nn.BatchNorm1d(48),
        nn.ReLU(),
        nn.Linear(48, 48),
        nn.BatchNorm1d(48),
        nn.ReLU(),
        nn.Linear(48, 2),
    )
    return Setting(model, drawn(*training, 32, 200, seed), cross_entropy, answers(held))


def _wine(seed: int) -> Setting:
    torch.manual_seed(seed)
    data = load_wine()
    training, held = halves(*_scaled(data.data, data.target), seed)
    model = nn.Sequential(nn.Linear(13, 24), nn.GELU(), nn.Linear(24, 24), nn.GELU(), nn.Linear(24, 3))
    return Setting(model, drawn(*training, 8, 250, seed), cross_entropy, answers(held))


def _circuit(seed: int) -> Setting:
    """The phase and impedance of a circuit, from four parts of it."""
    torch.manual_seed(seed)
    x, impedance = make_friedman2(1500, noise=20.0, random_state=seed)
    inputs, first = _scaled(x, (impedance - impedance.mean()) / impedance.std())
    second = torch.tanh(inputs[:, :1] * inputs[:, 1:2]) + 0.1 * torch.randn(1500, 1)
    targets = torch.cat([first.float()[:, None], second], 1)
    training, held = halves(inputs, targets, seed)
    layers = [nn.Linear(4, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(40, 2))
    return Setting(model, drawn(*training, 32, 500, seed), mse_loss, explained(held))


class _Forecast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.recurrence = nn.LSTM(1, 24, batch_first=True)
        self.head = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.recurrence(x)
        return self.head(states[:, -1])


def _waves(seed: int) -> Setting:
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    start, pace = chance.uniform(0, 6.28, (1200, 1)), chance.uniform(0.2, 0.7, (1200, 1))
    rows = np.sin(start + pace * np.arange(20)) + 0.05 * chance.normal(size=(1200, 20))
    values = torch.tensor(rows, dtype=torch.float32)
    training, held = halves(values[:, :16, None], values[:, 19:], seed)
    return Setting(_Forecast(), drawn(*training, 32, 350, seed), smooth_l1_loss, explained(held))


def _bars(seed: int) -> Setting:
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    images = chance.normal(0, 0.7, (1200, 1, 10, 10))
    kinds = chance.integers(6, size=1200)
    for image, kind in zip(images, kinds, strict=True):
        at = chance.integers(2, 7)
        if kind < 2:
            image[0, at : at + 1 + kind, :] += 1.2
        elif kind < 4:
            image[0, :, at : at + kind - 1] += 1.2
        else:
            image[0, at : at + 3, at - 2 : at + 1 + 2 * (kind - 4)] += 1.2
    training, held = halves(torch.tensor(images, dtype=torch.float32), torch.tensor(kinds), seed)
    model = nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1),
        nn.BatchNorm2d(6),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 12, 3, padding=1),
        nn.BatchNorm2d(12),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(48, 6),
    )
    return Setting(model, drawn(*training, 16, 300, seed), cross_entropy, answers(held))


class _Attending(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.letters, self.places = nn.Embedding(12, 32), nn.Parameter(0.1 * torch.randn(8, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(32, 12)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(self.letters(x) + self.places).mean(1))


def _largest(seed: int) -> Setting:
    """Name the largest letter among the first three of a sequence."""
    torch.manual_seed(seed)
    rows = torch.randint(12, (3000, 8))
    training, held = halves(rows, rows[:, :3].max(1).values, seed)
    return Setting(_Attending(), drawn(*training, 24, 300, seed), cross_entropy, answers(held))


class _Residual(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.inside = nn.Sequential(
            nn.LayerNorm(size), nn.Linear(size, 2 * size), nn.GELU(), nn.Linear(2 * size, size)
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inside(x)


def _clusters(seed: int) -> Setting:
    torch.manual_seed(seed)
    centers = torch.randn(40, 16) * 1.3
    kinds = torch.randint(40, (2400,))
    x = centers[kinds] + torch.randn(2400, 16)
    training, held = halves(x, kinds % 20, seed)
    model = nn.Sequential(
        nn.Linear(16, 40), _Residual(40), _Residual(40), nn.LayerNorm(40), nn.Linear(40, 20)
    )
    return Setting(model, drawn(*training, 32, 400, seed), cross_entropy, answers(held))


def _photo(seed: int) -> Setting:
    """Colors of a photograph from its places."""
    torch.manual_seed(seed)
    photo = torch.tensor(load_sample_image("flower.jpg")[::10, ::10] / 255 - 0.3, dtype=torch.float32)
    rows, columns = torch.meshgrid(*(torch.linspace(-1, 1, n) for n in photo.shape[:2]), indexing="ij")
    places = torch.stack([rows.flatten(), columns.flatten()], 1)
    waves = places @ torch.randn(2, 24) * 3
    training, held = halves(torch.cat([waves.sin(), waves.cos()], 1), photo.reshape(-1, 3), seed)
    model = nn.Sequential(nn.Linear(48, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    return Setting(model, drawn(*training, 64, 400, seed), mse_loss, explained(held))


def _words(seed: int) -> Setting:
    """The topic of a bag of forty words out of 500."""
    torch.manual_seed(seed)
    odds = torch.randn(8, 500) * 0.6
    topics = torch.randint(8, (2000,))
    words = torch.stack([torch.multinomial(odds[topic].softmax(0), 40, replacement=True) for topic in topics])
    training, held = halves(words, topics, seed)
    model = nn.Sequential(nn.EmbeddingBag(500, 32), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 8))
    return Setting(model, drawn(*training, 32, 400, seed), cross_entropy, answers(held))


def _robot(seed: int) -> Setting:
    """Where the hand of an arm with three joints is."""
    torch.manual_seed(seed)
    angles = torch.rand(1600, 3) * 3 - 1.5
    reach = angles.cumsum(1)
    hand = torch.stack([reach.cos().sum(1), reach.sin().sum(1)], 1)
    hand = (hand - hand.mean(0)) / hand.std(0) + 0.1 * torch.randn(1600, 2)
    training, held = halves(angles, hand, seed)
    model = nn.Sequential(nn.Linear(3, 40), nn.SiLU(), nn.Linear(40, 40), nn.SiLU(), nn.Linear(40, 2))
    return Setting(model, drawn(*training, 32, 400, seed), mse_loss, explained(held))


def _two_groups(parameters: Iterable[nn.Parameter], rate: float) -> Optimizer:
    """The last layer at the rate, all before it at a tenth."""
    every = list(parameters)
    return AdamW([{"params": every[-2:], "lr": rate}, {"params": every[:-2], "lr": rate / 10}])


TASKS = (
    Task("cancer-batchnorm-nesterov", _cancer, lambda p, r: SGD(p, r, momentum=0.9, nesterov=True), 0.01),
    Task("wine-adam", _wine, Adam, 1e-3),
    Task("circuit-deep-sgd", _circuit, lambda p, r: SGD(p, r, momentum=0.9, weight_decay=1e-4), 0.01),
    Task("waves-lstm-adam", _waves, Adam, 1e-3),
    Task("bars-conv-sgd", _bars, SGD, 0.1),
    Task("largest-transformer-adamw", _largest, AdamW, 3e-4),
    Task("clusters-residual-adamw", _clusters, lambda p, r: AdamW(p, r, weight_decay=0.05), 1e-3),
    Task("photo-rmsprop", _photo, lambda p, r: RMSprop(p, r, momentum=0.5), 1e-3),
    Task("words-adagrad", _words, Adagrad, 0.01),
    Task("robot-two-groups", _robot, _two_groups, 3e-3),
)
