"""The data the cases train on: scikit-learn's bundled sets and generated ones, all standardized."""

import math
from dataclasses import dataclass, replace

import torch
from sklearn import datasets
from torch import Tensor


@dataclass(frozen=True)
class Data:
    """Inputs and targets for training and for validation."""

    name: str
    x: Tensor
    y: Tensor
    x_val: Tensor
    y_val: Tensor
    classes: int = 0


def _split(name: str, x: Tensor, y: Tensor, train: int, classes: int, most: int = 10**9) -> Data:
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(7))
    x, y = x[order], y[order]
    end = train + most
    return Data(name, x[:train], y[:train], x[train:end], y[train:end], classes)


def _standardized(x: Tensor) -> Tensor:
    return (x - x.mean(0)) / (x.std(0) + 1e-6)


def digits(
    train: int = 1200, val: int = 10**9, wrong: float = 0.0, wrong_val: bool = False, noise: float = 0.0
) -> Data:
    """The 8 by 8 digits as vectors in [-1, 1]; a share of the labels may be random, the pixels noisy."""
    bunch = datasets.load_digits()
    x = torch.tensor(bunch.data, dtype=torch.float32) / 8 - 1
    x = x + noise * torch.randn(x.shape, generator=torch.Generator().manual_seed(3))
    data = _split("digits", x, torch.tensor(bunch.target), train, 10, val)
    data = replace(data, y=_partly_random(data.y, wrong, 10))
    return replace(data, y_val=_partly_random(data.y_val, wrong, 10)) if wrong_val else data


def _partly_random(y: Tensor, share: float, classes: int) -> Tensor:
    dice = torch.Generator().manual_seed(11)
    chosen = torch.rand(len(y), generator=dice) < share
    return torch.where(chosen, torch.randint(classes, (len(y),), generator=dice), y)


def pictures(data: Data) -> Data:
    """Digits as one-channel pictures for a CNN."""
    return replace(data, x=data.x.view(-1, 1, 8, 8), x_val=data.x_val.view(-1, 1, 8, 8))


def copied(data: Data) -> Data:
    """The inputs as their own targets, for an autoencoder."""
    return replace(data, y=data.x, y_val=data.x_val, classes=0)


def pairs(data: Data, noise: float = 0.4) -> Data:
    """Two noisy views of each input, for a contrastive loss."""
    dice = torch.Generator().manual_seed(5)

    def views(x: Tensor) -> Tensor:
        both = x[:, None].repeat(1, 2, 1)
        return both + noise * torch.randn(both.shape, generator=dice)

    return replace(data, x=views(data.x), x_val=views(data.x_val), classes=0)


def table(name: str, train: int) -> Data:
    """Wine, iris, breast_cancer or diabetes; the regression target is standardized too."""
    bunch = getattr(datasets, f"load_{name}")()
    x = _standardized(torch.tensor(bunch.data, dtype=torch.float32))
    if name == "diabetes":
        return _split(name, x, _standardized(torch.tensor(bunch.target, dtype=torch.float32)), train, 0)
    classes = int(bunch.target.max()) + 1
    y = torch.tensor(bunch.target)
    return _split(name, x, y.float() if classes == 2 else y, train, classes)


def spirals(points: int = 1000, val: int = 400, noise: float = 0.12, arms: int = 3) -> Data:
    """Interleaved spirals in the plane."""
    dice = torch.Generator().manual_seed(3)
    count = points + val
    label = torch.randint(arms, (count,), generator=dice)
    radius = torch.rand(count, generator=dice)
    angle = 4.5 * radius + label * 2 * math.pi / arms + noise * torch.randn(count, generator=dice)
    x = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    return _split("spirals", x, label, points, arms)


def waves(count: int = 600, length: int = 24, val: int = 200, noise: float = 0.05) -> Data:
    """Noisy sine sequences whose next value is to be told."""
    dice = torch.Generator().manual_seed(4)
    phase = 6.3 * torch.rand(count + val, 1, generator=dice)
    pace = 0.2 + 0.4 * torch.rand(count + val, 1, generator=dice)
    wave = (phase + pace * torch.arange(length + 1)).sin()
    wave = wave + noise * torch.randn(wave.shape, generator=dice)
    return _split("sine waves", wave[:, :-1, None], wave[:, -1], count, 0)


def teacher(
    count: int = 1500,
    width: int = 10,
    noise: float = 0.1,
    hidden: int = 16,
    val: int = 500,
    sharp: float = 2.0,
) -> Data:
    """Targets of a random two-layer network, with noise."""
    dice = torch.Generator().manual_seed(9)
    x = torch.randn(count + val, width, generator=dice)
    inner = torch.randn(width, hidden, generator=dice) / math.sqrt(width)
    y = torch.tanh(sharp * x @ inner) @ torch.randn(hidden, generator=dice) / math.sqrt(hidden)
    y = y / y.std() + noise * torch.randn(len(y), generator=dice)
    return _split("teacher network", x, y, count, 0)


def text(length: int, letters: int = 20, window: int = 24, val: int = 6000, sharp: float = 2.0) -> Data:
    """Windows of a text drawn from a second-order Markov chain; the target is the next letter everywhere."""
    dice = torch.Generator().manual_seed(6)
    chances = torch.softmax(sharp * torch.randn(letters, letters, letters, generator=dice), -1).cumsum(-1)
    draws = torch.rand(length + val, generator=dice).tolist()
    bounds = chances.tolist()
    written = [0, 1]
    for draw in draws:
        row = bounds[written[-2]][written[-1]]
        written.append(min(sum(bound < draw for bound in row), letters - 1))
    all_text = torch.tensor(written)
    x = all_text[:-1].unfold(0, window, window)
    y = all_text[1:].unfold(0, window, window)
    cut = length // window
    return Data("markov text", x[:cut], y[:cut], x[cut:], y[cut:], letters)


def blobs(count: int = 300, side: int = 16, val: int = 100) -> Data:
    """Noisy pictures of one disc each; the target is the disc's mask."""
    dice = torch.Generator().manual_seed(8)
    total = count + val
    center = 3 + (side - 6) * torch.rand(total, 2, 1, 1, generator=dice)
    radius = 2 + 2 * torch.rand(total, 1, 1, generator=dice)
    axis = torch.arange(side).float()
    far = (axis[None, :, None] - center[:, 0]) ** 2 + (axis[None, None, :] - center[:, 1]) ** 2
    mask = (far < radius**2).float()[:, None]
    return _split("discs", mask + 0.6 * torch.randn(mask.shape, generator=dice), mask, count, 0)


def angles(count: int = 1500, val: int = 300) -> Data:
    """Directions in the plane that depend on six inputs."""
    dice = torch.Generator().manual_seed(1)
    x = torch.randn(count + val, 6, generator=dice)
    turn = 0.65 * x @ torch.randn(6, 2, generator=dice)
    y = torch.stack([turn[:, 0].sin(), turn[:, 1].cos()], 1)
    y = y + 0.05 * torch.randn(y.shape, generator=dice)
    y = y / y.norm(dim=1, keepdim=True)
    return Data("angles", x[:count], y[:count], x[count:], y[count:])


def three_speeds(count: int = 100, val: int = 400) -> Data:
    """A linear task whose features are of three scales, so that they are learned one after the other.

    The large ones carry signal, the many middle ones carry none and fit the noise, the small ones carry the
    rest of the signal: the validation loss falls, rises and falls again.
    """
    dice = torch.Generator().manual_seed(2)
    x = torch.randn(count + val, 85, generator=dice)
    truth = torch.cat([torch.full((5,), 1.0), torch.zeros(60), torch.full((20,), 0.35)])
    y = x @ truth + 0.3 * torch.randn(len(x), generator=dice)
    scale = torch.cat([torch.full((5,), 0.4), torch.full((60,), 0.2), torch.full((20,), 0.05)])
    return Data("three scales", (x * scale)[:count], y[:count], (x * scale)[count:], y[count:])
