from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.recorder.graph.activation import activation_before

Output = Callable[[Tensor], Tensor]

OUTPUTS: dict[str, tuple[Output, str]] = {
    "softmax": (lambda x: x.softmax(1), "softmax"),
    "sigmoid": (torch.sigmoid, "sigmoid"),
    "tanh": (torch.tanh, "tanh"),
    "relu": (torch.relu, "relu"),
    "relu in place": (lambda x: torch.relu_(x * 1), "relu"),
    "leaky relu": (functional.leaky_relu, "leaky_relu"),
    "gelu": (functional.gelu, "gelu"),
    "silu": (functional.silu, "silu"),
    "log_softmax": (lambda x: x.log_softmax(1), "log_softmax"),
    "logarithm of softmax": (lambda x: x.softmax(1).log(), "log_softmax"),
    "guarded logarithm of softmax": (lambda x: (x.softmax(1) + 1e-9).log(), "log_softmax"),
    "squeezed": (lambda x: x.sigmoid()[:, :1].squeeze(1), "sigmoid"),
    "selected": (lambda x: x.softmax(1)[:, 1], "softmax"),
    "indexed": (lambda x: x.softmax(1)[torch.tensor([0, 2])], "softmax"),
    "clamped": (lambda x: x.sigmoid().clamp(1e-6, 1 - 1e-6), "sigmoid"),
    "cast": (lambda x: x.softmax(1).half().float(), "softmax"),
    "turned": (lambda x: x.softmax(1).t().unsqueeze(0).expand(2, 3, 4), "softmax"),
    "flattened": (lambda x: x.tanh().reshape(-1), "tanh"),
    "permuted": (lambda x: x.relu().permute(1, 0).contiguous(), "relu"),
    "logits": (lambda x: x * 2, ""),
    "scaled sigmoid": (lambda x: x.sigmoid() * 2, ""),
    "logarithm of relu": (lambda x: x.relu().log(), ""),
    "without a graph": (lambda x: x.softmax(1).detach(), ""),
    "a leaf": (lambda x: x, ""),
}


@pytest.mark.parametrize(("output", "activation"), OUTPUTS.values(), ids=OUTPUTS)
def test_finds_the_activation(output: Output, activation: str) -> None:
    assert activation_before(output(torch.randn(4, 3, requires_grad=True))) == activation


@pytest.mark.parametrize(
    ("module", "activation"),
    [
        (nn.Softmax(1), "softmax"),
        (nn.LogSoftmax(1), "log_softmax"),
        (nn.Sigmoid(), "sigmoid"),
        (nn.Tanh(), "tanh"),
        (nn.ReLU(inplace=True), "relu"),
        (nn.LeakyReLU(), "leaky_relu"),
        (nn.GELU(), "gelu"),
        (nn.Identity(), ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else value,
)
def test_finds_the_last_module(module: nn.Module, activation: str) -> None:
    net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 4), module)
    assert activation_before(net(torch.randn(2, 3))) == activation


def test_stops_looking_far_from_the_prediction() -> None:
    value = torch.randn(4, requires_grad=True).relu()
    for _ in range(200):
        value = value.view(2, 2).view(4)
    assert activation_before(value) == ""
