"""What the corpus trains: fourteen families of architectures, each for the tasks it suits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from random import Random

import torch
from torch import Tensor, nn

from corpus.sequences import Attending, Recurrent, Sliding
from corpus.task import Task

Bend = Callable[[], nn.Module]
BENDS: Mapping[str, Bend] = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "tanh": nn.Tanh,
    "silu": nn.SiLU,
    "elu": nn.ELU,
}


@dataclass(frozen=True)
class Shape:
    """How large a network is, and of what."""

    width: int
    depth: int
    bend: str = "relu"
    dropout: float = 0.0


def given(task: Task) -> int:
    """Numbers in one input, tokens counted once embedded."""
    return prod(task.train.inputs.shape[1:]) * (8 if task.form == "tokens" else 1)


def entry(task: Task) -> list[nn.Module]:
    """What makes a vector of an input."""
    return ([nn.Embedding(task.vocabulary, 8)] if task.form == "tokens" else []) + [nn.Flatten()]


def _regular(shape: Shape) -> list[nn.Module]:
    return [nn.Dropout(shape.dropout)] if shape.dropout else []


def linear(task: Task, shape: Shape) -> nn.Module:
    """No hidden layer: logistic or linear regression."""
    return nn.Sequential(*entry(task), nn.Linear(given(task), task.outputs))


def mlp(task: Task, shape: Shape, normal: Callable[[int], nn.Module] | None = None) -> nn.Module:
    """Dense layers, with or without normalization."""
    layers, sizes = entry(task), [given(task), *[shape.width] * shape.depth]
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), *([normal(after)] if normal else []), BENDS[shape.bend]()]
        layers += _regular(shape)
    return nn.Sequential(*layers, nn.Linear(sizes[-1], task.outputs))


def mlp_deep(task: Task, shape: Shape) -> nn.Module:
    """Many dense layers without normalization, initialized for their depth."""
    net = mlp(task, shape)
    gain = nn.init.calculate_gain("tanh" if shape.bend == "tanh" else "relu")
    for layer in [module for module in net.modules() if isinstance(module, nn.Linear)][:-1]:
        nn.init.normal_(layer.weight, std=gain / layer.in_features**0.5)
        nn.init.zeros_(layer.bias)
    return net


def mlp_norm(task: Task, shape: Shape) -> nn.Module:
    """Dense layers with batch or layer normalization."""
    return mlp(task, shape, nn.BatchNorm1d if shape.depth % 2 else nn.LayerNorm)


class Block(nn.Module):
    """Something added to what it is computed from."""

    def __init__(self, *inner: nn.Module) -> None:
        super().__init__()
        self.inner = nn.Sequential(*inner)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inner(x)


def mlp_residual(task: Task, shape: Shape) -> nn.Module:
    """Dense blocks that add to a stream."""
    blocks = [
        Block(
            nn.LayerNorm(shape.width),
            nn.Linear(shape.width, shape.width),
            BENDS[shape.bend](),
            *_regular(shape),
            nn.Linear(shape.width, shape.width),
        )
        for _ in range(shape.depth)
    ]
    last = [nn.LayerNorm(shape.width), nn.Linear(shape.width, task.outputs)]
    return nn.Sequential(*entry(task), nn.Linear(given(task), shape.width), *blocks, *last)


def _head(task: Task, channels: int) -> list[nn.Module]:
    """From feature maps to an answer for the picture, or for each pixel."""
    if task.kind == "mask":
        return [nn.Conv2d(channels, task.outputs, 1)]
    return [nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4 * channels, task.outputs)]


def cnn(task: Task, shape: Shape, normal: Callable[[int], nn.Module] | None = None) -> nn.Module:
    """Convolutions, with or without normalization."""
    layers: list[nn.Module] = []
    sizes = [task.train.inputs.shape[1], *[shape.width] * shape.depth]
    for number, (before, after) in enumerate(pairwise(sizes)):
        layers += [nn.Conv2d(before, after, 3, padding=1), *([normal(after)] if normal else [])]
        layers += [BENDS[shape.bend]()]
        if number == 0 and task.kind != "mask":
            layers += [nn.MaxPool2d(2)]
    return nn.Sequential(*layers, *_regular(shape), *_head(task, shape.width))


def cnn_norm(task: Task, shape: Shape) -> nn.Module:
    """Convolutions with batch normalization."""
    return cnn(task, shape, nn.BatchNorm2d)


def resnet(task: Task, shape: Shape) -> nn.Module:
    """Blocks of convolutions with batch normalization that add to a stream."""
    width = shape.width
    blocks = [
        Block(
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            BENDS[shape.bend](),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
        )
        for _ in range(shape.depth)
    ]
    stem = [nn.Conv2d(task.train.inputs.shape[1], width, 3, padding=1), nn.BatchNorm2d(width)]
    shrink = [] if task.kind == "mask" else [nn.MaxPool2d(2)]
    return nn.Sequential(*stem, BENDS[shape.bend](), *shrink, *blocks, *_head(task, width))


def lstm(task: Task, shape: Shape) -> nn.Module:
    """Long short-term memory."""
    return Recurrent(task, nn.LSTM, shape.width, shape.depth, shape.dropout)


def gru(task: Task, shape: Shape) -> nn.Module:
    """Gated recurrent units."""
    return Recurrent(task, nn.GRU, shape.width, shape.depth, shape.dropout)


def slides(task: Task, shape: Shape) -> nn.Module:
    """Convolutions along a sequence."""
    return Sliding(task, shape.width, shape.depth, BENDS[shape.bend])


def transformer(task: Task, shape: Shape) -> nn.Module:
    """Attention blocks that normalize before."""
    return Attending(task, shape.width, shape.depth, shape.dropout, first=True)


def transformer_post(task: Task, shape: Shape) -> nn.Module:
    """Attention blocks that normalize after, as the first transformers did."""
    return Attending(task, shape.width, shape.depth, shape.dropout, first=False)


def autoencoder(task: Task, shape: Shape) -> nn.Module:
    """Dense layers through a narrow middle."""
    sizes = [given(task), 2 * shape.width, shape.width, 12, shape.width, 2 * shape.width]
    layers: list[nn.Module] = [nn.Flatten()]
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), BENDS[shape.bend]()]
    return nn.Sequential(*layers, nn.Linear(sizes[-1], task.outputs))


def autoencoder_conv(task: Task, shape: Shape) -> nn.Module:
    """Convolutions through a narrow middle."""
    width = shape.width
    return nn.Sequential(
        nn.Conv2d(1, width, 3, stride=2, padding=1),
        BENDS[shape.bend](),
        nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
        BENDS[shape.bend](),
        nn.Flatten(),
        nn.Linear(8 * width, 16),
        nn.Linear(16, 8 * width),
        BENDS[shape.bend](),
        nn.Unflatten(1, (2 * width, 2, 2)),
        nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1),
        BENDS[shape.bend](),
        nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1),
        nn.Flatten(),
    )


@dataclass(frozen=True)
class Family:
    """A kind of architecture: what it suits, and how it is usually trained."""

    build: Callable[[Task, Shape], nn.Module]
    widths: tuple[int, ...]
    depths: tuple[int, ...]
    rates: Mapping[str, float]
    """A good learning rate by optimizer; one that is missing is not used for it."""
    bends: tuple[str, ...] = ("relu",)
    kinds: tuple[str, ...] = ("classes", "yes-no", "labels", "number", "likeness")
    forms: tuple[str, ...] = ("vector", "image", "tokens", "signal")
    only: tuple[str, ...] = ()
    """The tasks it is limited to; empty for all that fit."""
    not_for: tuple[str, ...] = ()
    """Tasks that fit its form, and that it learns too slowly."""
    steps: tuple[int, int] = (180, 500)
    """Fewest and most optimizer steps."""
    warms_up: bool = False

    def suits(self, task: Task) -> bool:
        """Whether such a network can learn a task."""
        fits = task.kind in self.kinds and task.form in self.forms
        return fits and task.name not in self.not_for and (not self.only or task.name in self.only)

    def shape(self, dice: Random) -> Shape:
        """One of its sizes."""
        dropout = dice.choice((0.0, 0.0, 0.1, 0.2))
        return Shape(dice.choice(self.widths), dice.choice(self.depths), dice.choice(self.bends), dropout)


_DENSE = {"sgd": 0.05, "adam": 2e-3, "adamw": 2e-3, "rmsprop": 1e-3, "adagrad": 2e-2, "nadam": 2e-3}
_DEEP = {"sgd": 0.02, "adam": 1e-3, "adamw": 1e-3, "rmsprop": 5e-4, "nadam": 1e-3}
_CONV = {"sgd": 0.05, "adam": 2e-3, "adamw": 2e-3, "rmsprop": 1e-3, "adagrad": 2e-2, "nadam": 2e-3}
_RECURRENT = {"adam": 5e-3, "adamw": 5e-3, "rmsprop": 3e-3, "nadam": 5e-3}
_ATTENDING = {"adam": 2e-3, "adamw": 2e-3, "rmsprop": 5e-4, "nadam": 1.5e-3}
_PLACED = ("figures", "majority")
"""What may lie anywhere in its input is slow to learn for dense layers."""
_WHOLE = ("classes", "number", "likeness")
_SEQUENCES = ("classes", "number", "tokens")


def _recurrent(build: Callable[[Task, Shape], nn.Module]) -> Family:
    """A family of recurrent networks."""
    forms = ("tokens", "signal", "image")
    return Family(build, (24, 32), (1, 2), _RECURRENT, kinds=_SEQUENCES, forms=forms, steps=(150, 320))


FAMILIES: dict[str, Family] = {
    "linear": Family(
        linear,
        (0,),
        (0,),
        _DENSE | {"sgd": 0.1, "adam": 1e-2, "adamw": 1e-2},
        only=("cancer", "wine", "diabetes"),
    ),
    "mlp": Family(
        mlp, (24, 32, 48, 64), (1, 2), _DENSE, ("relu", "gelu", "tanh", "silu", "elu"), not_for=_PLACED
    ),
    "mlp-deep": Family(mlp_deep, (32, 48), (4, 5, 6), _DEEP, ("relu", "tanh", "elu"), not_for=_PLACED),
    "mlp-norm": Family(mlp_norm, (32, 48, 64), (2, 3, 4), _DENSE, ("relu", "gelu", "silu"), not_for=_PLACED),
    "mlp-residual": Family(
        mlp_residual, (32, 48), (2, 3, 4), _DENSE | {"sgd": 0.03}, ("relu", "gelu"), not_for=_PLACED
    ),
    "cnn": Family(cnn, (12, 16, 24), (2, 3), _CONV, ("relu", "elu", "gelu"), (*_WHOLE, "mask"), ("image",)),
    "cnn-norm": Family(cnn_norm, (12, 16), (2, 3, 4), _CONV, ("relu", "silu"), (*_WHOLE, "mask"), ("image",)),
    "resnet": Family(
        resnet, (8, 12), (2, 3), _CONV, ("relu",), (*_WHOLE, "mask"), ("image",), steps=(150, 320)
    ),
    "lstm": _recurrent(lstm),
    "gru": _recurrent(gru),
    "slides": Family(
        slides,
        (24, 32),
        (2, 3),
        _CONV,
        ("relu", "gelu"),
        _SEQUENCES,
        ("tokens", "signal"),
        only=("majority", "order", "text", "waves", "beats"),
    ),
    "transformer": Family(
        transformer,
        (24, 32),
        (2, 3),
        _ATTENDING,
        kinds=_SEQUENCES,
        forms=("tokens", "signal", "image"),
        not_for=("figures",),
        steps=(150, 320),
    ),
    "transformer-post": Family(
        transformer_post,
        (24, 32),
        (2, 3),
        _ATTENDING,
        kinds=_SEQUENCES,
        forms=("tokens", "signal"),
        warms_up=True,
        steps=(150, 320),
    ),
    "autoencoder": Family(
        autoencoder,
        (24, 32, 48),
        (0,),
        {"sgd": 0.2, "adam": 5e-3, "adamw": 5e-3, "rmsprop": 2e-3, "nadam": 5e-3},
        ("relu", "elu", "tanh"),
        ("copy",),
    ),
    "autoencoder-conv": Family(
        autoencoder_conv,
        (8, 12, 16),
        (0,),
        {"adam": 3e-3, "adamw": 3e-3, "nadam": 3e-3, "rmsprop": 1e-3},
        ("relu", "elu"),
        ("copy",),
    ),
}
"""Kinds of architectures by name."""


def initialized(family: str, task: Task, shape: Shape, seed: int) -> nn.Module:
    """A network with the weights of a seed."""
    torch.manual_seed(seed)
    return FAMILIES[family].build(task, shape)
