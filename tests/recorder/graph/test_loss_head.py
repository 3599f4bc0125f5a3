from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.recorder.graph.loss_head import activation_before, divisor_of

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


TARGET = torch.tensor([0, 1, 2, 0])
Loss = Callable[[Tensor], Tensor]


def entropy(logits: Tensor, reduction: str = "mean") -> Tensor:
    return functional.cross_entropy(logits, TARGET, reduction=reduction)


DIVIDED: dict[str, tuple[Loss, float]] = {
    "by a number": (lambda x: entropy(x) / 4, 4),
    "by a fraction": (lambda x: entropy(x) / 2.5, 2.5),
    "by a tensor": (lambda x: entropy(x) / torch.tensor(8.0), 8),
    "in place": (lambda x: entropy(x).div_(4), 4),
    "by a factor": (lambda x: entropy(x) * 0.25, 4),
    "by a factor in front": (lambda x: 0.25 * entropy(x), 4),
    "twice": (lambda x: entropy(x) / 2 * 0.25, 8),
    "then cast": (lambda x: (entropy(x) / 4).double(), 4),
    "then reshaped": (lambda x: (entropy(x) / 4).reshape(1).squeeze(), 4),
    "then zero added": (lambda x: entropy(x) / 4 + 0.0, 4),
    "then negated": (lambda x: -(entropy(x) / 4), 4),
    "a sum of losses": (lambda x: (entropy(x) + 0.1 * x.norm()) / 4, 4),
    "an average": (lambda x: entropy(x, "sum") / 4 / 2, 2),
}

UNDIVIDED: dict[str, Loss] = {
    "plain": entropy,
    "by one": lambda x: entropy(x) / 1,
    "multiplied": lambda x: entropy(x) * 3,
    "scaled": lambda x: entropy(x) * torch.tensor(65536.0),
    "a sum over its count": lambda x: entropy(x, "sum") / 4,
    "a masked mean": lambda x: (entropy(x, "none") * torch.tensor([1.0, 1, 0, 1])).sum() / torch.tensor(3.0),
    "one of two terms": lambda x: entropy(x) / 4 + 0.1 * x.norm(),
    "by another value": lambda x: entropy(x) / x.norm(),
    "as divisor": lambda x: 4 / entropy(x),
    "a mean of two": lambda x: torch.stack([entropy(x), entropy(x)]).mean(),
    "without a graph": lambda x: entropy(x).detach() / 4,
}


def _logits() -> Tensor:
    torch.manual_seed(0)
    return torch.randn(4, 3, requires_grad=True)


@pytest.mark.parametrize(("loss", "divisor"), DIVIDED.values(), ids=DIVIDED)
def test_finds_what_the_loss_was_divided_by(loss: Loss, divisor: float) -> None:
    assert divisor_of(loss(_logits())) == pytest.approx(divisor)


@pytest.mark.parametrize("loss", UNDIVIDED.values(), ids=UNDIVIDED)
def test_other_losses_were_not_divided(loss: Loss) -> None:
    assert divisor_of(loss(_logits())) is None


@pytest.mark.parametrize("steps", [2, 3, 8])
def test_dividing_gives_the_gradient_of_the_mean_batch(steps: int) -> None:
    """The divisor is the one that makes accumulated gradients those of the whole batch."""
    weight = torch.randn(5, requires_grad=True)
    batches = [torch.randn(4, 5) for _ in range(steps)]
    divisors = []
    for batch in batches:
        loss = (batch @ weight).square().mean() / steps
        divisors.append(divisor_of(loss))
        loss.backward()
    (whole,) = torch.autograd.grad((torch.cat(batches) @ weight).square().mean(), weight)
    assert torch.allclose(weight.grad, whole, rtol=1e-4)
    assert divisors == [steps] * steps
