# mypy: allow-subclassing-any
"""Random networks with one fault at a random place: nobody chose them because they work."""

import math
import random
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.recorder.graph.program import Step

Function = Callable[[Tensor], Tensor]

WIDTH = 12

FAULTS: dict[str, Function] = {
    "log": lambda value: value.sub(value.min()).log(),
    "log1p": lambda value: value.sub(9).log1p(),
    "sqrt": torch.sqrt,
    "rsqrt": lambda value: value.relu().rsqrt(),
    "exp": lambda value: value.mul(1e5).exp(),
    "pow": lambda value: value**1.5,
    "inverse": lambda value: value.relu() ** -2,
    "reciprocal": lambda value: value.clamp(min=0).reciprocal(),
    "acos": lambda value: value.mul(1e3).acos(),
    "atanh": lambda value: value.mul(1e3).tanh().atanh(),
    "ratio": lambda value: value / (value - value.mean(1, keepdim=True)).mul(0),
    "count": lambda value: value / value.gt(1e9).float().sum(1, keepdim=True),
    "square": lambda value: value.mul(1e25).square(),
    "product": lambda value: value.mul(1e30) * value.mul(1e30),
    "sum": lambda value: value.abs().mul(1e38).add(3e38).sum(1, keepdim=True) + value,
    "masked": lambda value: value.masked_fill(torch.arange(len(value))[:, None] == 1, -math.inf).softmax(1),
    "logit": lambda value: value.mul(100).sigmoid().round().logit(),
    "half": lambda value: value.mul(1e8).half().float(),
    "cumprod": lambda value: value.abs().add(1e30).cumprod(1),
    "standardize": lambda value: value.mul(0) / value.mul(0).std(1, keepdim=True),
    "cosh": lambda value: value.mul(1e4).cosh(),
    "xlogy": lambda value: torch.xlogy(value.abs() + 1, value - 9),
    "mm": lambda value: (value.mul(1e30) @ value.mul(1e30).t()) @ value,
    "logsumexp": lambda value: value.mul(1e30).square().logsumexp(1, keepdim=True) + value,
    "nothing": lambda value: value[:0].mean() + value,
}
"""Ways to break a value of ordinary size."""

HARMLESS: tuple[Function, ...] = (
    torch.relu,
    torch.tanh,
    torch.sigmoid,
    functional.gelu,
    functional.silu,
    functional.leaky_relu,
    lambda value: functional.dropout(value, 0.2),
    lambda value: value * 0.7,
    lambda value: value + 0.1,
    lambda value: value - value.mean(1, keepdim=True),
    lambda value: functional.layer_norm(value, (WIDTH,)),
    lambda value: value.softmax(1),
    lambda value: value.view(2, -1).reshape(-1, WIDTH),
    lambda value: value.t().contiguous().t(),
    lambda value: torch.cat(value.chunk(3, 1), 1),
    lambda value: torch.stack(value.unbind(0)),
    lambda value: value / value.norm(dim=1, keepdim=True).clamp(min=1),
    lambda value: torch.where(value > 0, value.relu().log(), 0.0).clamp(min=-3),
    lambda value: value.clone().mul_(1.1),
    lambda value: value.bfloat16().float(),
    lambda value: torch.nan_to_num(value.sqrt()),
    lambda value: value.masked_fill(value > 9, -math.inf).softmax(1),
    lambda value: torch.maximum(value, value.relu().log()),
)

LOSSES: tuple[Function, ...] = (
    Tensor.mean,
    lambda value: value.sum() / 3,
    lambda value: functional.mse_loss(value, torch.zeros_like(value)),
    lambda value: ((value - 1) ** 2).mean(),
    lambda value: functional.cross_entropy(value, torch.zeros(len(value), dtype=torch.long)),
    lambda value: functional.smooth_l1_loss(value, torch.ones_like(value)),
    lambda value: functional.binary_cross_entropy_with_logits(value, torch.zeros_like(value)) / 4,
    lambda value: -value.log_softmax(1)[:, 0].mean(),
)


class RandomNet(nn.Module):
    """Layers in a row with functions and residual connections between them."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__()
        kinds: list[Callable[[], nn.Module]] = [
            lambda: nn.Linear(WIDTH, WIDTH, bias=dice.random() < 0.8),
            lambda: nn.LayerNorm(WIDTH),
            lambda: nn.BatchNorm1d(WIDTH),
            lambda: nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH)),
            lambda: nn.Sequential(nn.Unflatten(1, (1, WIDTH)), nn.Conv1d(1, 1, 3, padding=1), nn.Flatten()),
        ]
        self.layers = nn.ModuleList([nn.Linear(WIDTH, WIDTH)])
        self.layers.extend(dice.choice(kinds)() for _ in range(dice.randint(1, 5)))
        self.functions = [dice.choice(HARMLESS) for _ in self.layers]
        self.residual = [dice.random() < 0.3 for _ in self.layers]

    def forward(self, value: Tensor) -> Tensor:
        for layer, function, residual in zip(self.layers, self.functions, self.residual, strict=True):
            result = function(layer(value))
            value = value + result if residual else result
        return value


def random_step(seed: int, fault: str) -> Step:
    """The same program for the same seed; the fault is one of FAULTS or "parameter", "input", "none"."""
    dice = random.Random(seed)
    torch.manual_seed(seed)
    net, batch, loss = RandomNet(dice), torch.randn(8, WIDTH), dice.choice(LOSSES)
    if fault in FAULTS:
        index = dice.randrange(len(net.functions))
        before, after = net.functions[index], FAULTS[fault]
        net.functions[index] = lambda value: after(before(value))
    with torch.no_grad():
        if fault == "parameter":
            dice.choice(list(net.parameters())).view(-1)[0] = dice.choice((math.nan, math.inf))
        if fault == "input":
            batch[dice.randrange(8), 3] = math.nan
    return Step(net, lambda: loss(net(batch)))


def _some_zeros(value: Tensor) -> Tensor:
    return value.abs() * torch.arange(value.numel()).remainder(5).clamp(max=1).view(value.shape)


STEEP: dict[str, Function] = {
    "sqrt": lambda value: _some_zeros(value).sqrt(),
    "pow": lambda value: _some_zeros(value) ** 0.3,
    "distance": lambda value: value.mul(0).square().sum(1, keepdim=True).sqrt() + value,
    "acos": lambda value: (value * 1e4).tanh().acos(),
    "asin": lambda value: value.mul(0).add(1).asin() + value,
    "where_log": lambda value: torch.where(_some_zeros(value) > 0, _some_zeros(value).log(), 0.0),
    "where_div": lambda value: torch.where(_some_zeros(value) > 0, value / _some_zeros(value), 0.0).tanh(),
    "nan_to_num": lambda value: torch.nan_to_num(value.sqrt()),
    "hypot": lambda value: torch.hypot(_some_zeros(value), _some_zeros(value)),
    "xlogy": lambda value: torch.xlogy(_some_zeros(value), _some_zeros(value)),
}
"""Ways to break the gradient of a value of ordinary size, and not the value."""


def random_steep_step(seed: int, fault: str) -> Step:
    """As `random_step`, with one of STEEP."""
    dice = random.Random(seed)
    torch.manual_seed(seed)
    net, batch, loss = RandomNet(dice), torch.randn(8, WIDTH), dice.choice(LOSSES)
    index = dice.randrange(len(net.functions))
    before, after = net.functions[index], STEEP[fault]
    net.functions[index] = lambda value: after(before(value))
    return Step(net, lambda: loss(net(batch)))
