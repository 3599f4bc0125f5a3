# mypy: allow-subclassing-any
"""The four trainings whose steps `overhead.py` times: a CNN, a GPT, a small MLP and a deep one.

Each is written as a script would write it: a data loader, a model, a loss function, an optimizer. The data is
random and in memory and the loader hands out whole batches, so that little but the step itself is timed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

_SAMPLES = 2_048
_VOCABULARY = 256
_CONTEXT = 64


@dataclass(frozen=True, eq=False)
class Training:
    """What a script holds just before its loop."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    loader: DataLoader
    loss: Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Workload:
    """One of the four, and how long a run of it is."""

    name: str
    make: Callable[[], Training]
    steps: int
    settled: int
    """From the step after this one on, the steady state is measured."""
    goal: float
    """What traindx may cost, in percent of a plain step."""


class _Residual(nn.Module):
    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.short = nn.Sequential()
        if stride != 1 or channels != width:
            self.short = nn.Sequential(
                nn.Conv2d(channels, width, 1, stride, bias=False), nn.BatchNorm2d(width)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = self.relu(self.norm1(self.conv1(x)))
        return self.relu(self.norm2(self.conv2(y)) + self.short(x))


class _Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        batch, time, width = x.shape
        q, k, v = (
            part.view(batch, time, self.heads, width // self.heads).transpose(1, 2)
            for part in self.qkv(self.norm1(x)).split(width, dim=2)
        )
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, time, width))
        return x + self.mlp(self.norm2(x))


class _Gpt(nn.Module):
    def __init__(self, layers: int, width: int, heads: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(_VOCABULARY, width)
        self.places = nn.Embedding(_CONTEXT, width)
        self.blocks = nn.ModuleList(_Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, _VOCABULARY, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def cnn() -> Training:
    """A ResNet-18 of a quarter of the usual width on images of 32x32."""
    torch.manual_seed(0)
    layers: list[nn.Module] = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
    channels = 16
    for width, stride in ((16, 1), (32, 2), (64, 2), (128, 2)):
        layers += [_Residual(channels, width, stride), _Residual(width, width, 1)]
        channels = width
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    images, labels = torch.randn(_SAMPLES, 3, 32, 32), torch.randint(10, (_SAMPLES,))
    return Training(model, optimizer, _batches(images, labels, 16), nn.CrossEntropyLoss())


def gpt() -> Training:
    """A GPT of six layers on sequences of bytes."""
    torch.manual_seed(0)
    model = _Gpt(layers=6, width=192, heads=6)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    text = torch.randint(_VOCABULARY, (_SAMPLES, _CONTEXT + 1))
    loader = _batches(text[:, :-1].contiguous(), text[:, 1:].contiguous(), 4)
    return Training(model, optimizer, loader, _next_token)


def mlp() -> Training:
    """A classifier of four layers whose step takes about a millisecond."""
    torch.manual_seed(0)
    model = nn.Sequential(
        *(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU()),
        *(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    inputs, labels = torch.randn(_SAMPLES, 64), torch.randint(10, (_SAMPLES,))
    return Training(model, optimizer, _batches(inputs, labels, 32), nn.CrossEntropyLoss())


def deep() -> Training:
    """A regression through 200 layers, scaled so that neither signal nor gradient dies on the way."""
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for _ in range(199):
        linear = nn.Linear(64, 64)
        nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    inputs, targets = torch.randn(_SAMPLES, 64), torch.randn(_SAMPLES, 1)
    return Training(model, optimizer, _batches(inputs, targets, 32), nn.MSELoss())


def _next_token(logits: Tensor, targets: Tensor) -> Tensor:
    return functional.cross_entropy(logits.view(-1, _VOCABULARY), targets.reshape(-1))


def _batches(inputs: Tensor, targets: Tensor, size: int) -> DataLoader:
    dataset = TensorDataset(inputs, targets)
    order = BatchSampler(RandomSampler(dataset), size, drop_last=True)
    return DataLoader(dataset, sampler=order, batch_size=None)


WORKLOADS = (
    Workload("cnn", cnn, steps=200, settled=100, goal=1.0),
    Workload("gpt", gpt, steps=200, settled=100, goal=1.0),
    Workload("mlp", mlp, steps=3_000, settled=1_000, goal=4.0),
    Workload("deep", deep, steps=1_200, settled=1_000, goal=3.0),
)
