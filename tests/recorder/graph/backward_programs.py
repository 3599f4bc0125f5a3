# mypy: allow-subclassing-any
"""Real torch programs whose loss is finite and whose gradient is not, each with the place where it breaks."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.recorder.graph.program import Net, Shelf, Step, step_of

BACKWARD = Shelf()


def _some_zeros(value: Tensor) -> Tensor:
    """Positive values and exact zeros; relu would not do, for it cuts the gradient where it is 0."""
    keep = torch.ones(value.shape)
    keep.view(-1)[::7] = 0
    return value.abs() * keep


class Deep(nn.Module):
    """Four linear layers, with something after the second."""

    def __init__(self, middle: Callable[[Tensor], Tensor], residual: bool = False) -> None:
        super().__init__()
        self.fc1, self.fc2, self.fc3, self.fc4 = (nn.Linear(10, 10) for _ in range(4))
        self.middle, self.residual = middle, residual

    def forward(self, value: Tensor) -> Tensor:
        value = self.fc1(value).tanh()
        broken = self.middle(self.fc2(value))
        value = value + broken if self.residual else broken
        return self.fc4(self.fc3(value).tanh())


@BACKWARD.add(
    "sqrt",
    "fc2",
    says="gradients of 4 of 8 parameters are NaN or infinite, first in layer `fc2` (closest to the loss);"
    " the derivative of sqrt",
)
def sqrt_at_zero() -> Step:
    return step_of(Deep(lambda value: _some_zeros(value).sqrt()))


@BACKWARD.add("sqrt", "fc2")
def sqrt_at_zero_in_a_residual_branch() -> Step:
    return step_of(Deep(lambda value: _some_zeros(value).sqrt(), residual=True))


@BACKWARD.add("sqrt", "fc2", says="and where drops its value but not its gradient")
def unselected_branch_of_where() -> Step:
    return step_of(Deep(lambda value: torch.where(value > 0, value.sqrt(), 0.0)))


@BACKWARD.add("log", "fc2", says="the derivative of log is not finite at 0, and where drops its value")
def unselected_logarithm() -> Step:
    return step_of(Deep(lambda value: torch.where(_some_zeros(value) > 0, _some_zeros(value).log(), value)))


@BACKWARD.add("div", "fc2", says="and where drops its value")
def unselected_quotient() -> Step:
    return step_of(Deep(lambda value: torch.where(_some_zeros(value) > 0, value / _some_zeros(value), value)))


@BACKWARD.add("log", "fc2", says="and nan_to_num drops its value")
def logarithm_made_finite_again() -> Step:
    return step_of(Deep(lambda value: torch.nan_to_num(_some_zeros(value).log())))


@BACKWARD.add("pow", "fc2", says="the derivative of pow is not finite at 0")
def power_of_half_at_zero() -> Step:
    return step_of(Deep(lambda value: _some_zeros(value) ** 0.5))


@BACKWARD.add("sqrt", "fc2")
def norm_of_zeros_by_hand() -> Step:
    net = Deep(lambda value: (value * 0).square().sum(1, keepdim=True).sqrt() + value)
    return step_of(net)


@BACKWARD.add("sqrt", "fc2")
def spread_of_equal_values_by_hand() -> Step:
    return step_of(Deep(lambda value: value[:, :1].expand(-1, 10).var(1, keepdim=True).sqrt() + value))


@BACKWARD.add("acos", "fc2", says="the derivative of acos is not finite at -1 and 1")
def angle_of_parallel_vectors() -> Step:
    return step_of(Deep(lambda value: (value * 0 + 1).acos()))


@BACKWARD.add("asin", "fc2")
def angle_by_asin() -> Step:
    return step_of(Deep(lambda value: (value * 1e3).tanh().asin()))


@BACKWARD.add("hypot", "fc2")
def hypot_of_zeros() -> Step:
    return step_of(Deep(lambda value: torch.hypot(_some_zeros(value), _some_zeros(value))))


@BACKWARD.add("xlogy", "fc2")
def entropy_at_zero() -> Step:
    return step_of(Deep(lambda value: torch.xlogy(_some_zeros(value), _some_zeros(value))))


class Cracked(torch.autograd.Function):
    """Finite forward, NaN backward."""

    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, value: Tensor) -> Tensor:
        return value * 2

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, gradient: Tensor) -> Tensor:
        return gradient / 0 * 0


@BACKWARD.add("Cracked", "fc2", says="between it and the loss is the custom backward pass of Cracked")
def custom_function() -> Step:
    return step_of(Deep(Cracked.apply))


@BACKWARD.add("sqrt", "fc2")
def root_of_a_perfect_loss() -> Step:
    net = Net()
    data = torch.randn(16, 10)
    target = net(data).detach()
    return Step(net, lambda: functional.mse_loss(net(data), target).sqrt())


@BACKWARD.add("sqrt", "fc2")
def guarded_root_after_an_unguarded_one() -> Step:
    return step_of(Deep(lambda value: (_some_zeros(value).sqrt().square() + 1e-6).sqrt()))


@BACKWARD.add("pow", "fc2")
def smooth_power_before_a_steep_one() -> Step:
    return step_of(Deep(lambda value: (_some_zeros(value) ** 2) ** 0.25))


@BACKWARD.add("sqrt", "embedding")
def distance_of_embeddings() -> Step:
    net = nn.Module()
    net.embedding, net.head = nn.Embedding(5, 4), nn.Linear(1, 1)
    left, right = torch.tensor([0, 1, 2]), torch.tensor([0, 2, 1])

    def loss() -> Tensor:
        distance = (net.embedding(left) - net.embedding(right)).square().sum(1, keepdim=True).sqrt()
        return net.head(distance).mean()

    return Step(net, loss)


@BACKWARD.add("sqrt", "conv1")
def convolutional_magnitude() -> Step:
    class Magnitude(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 4, 3), nn.Conv2d(4, 2, 3)

        def forward(self, images: Tensor) -> Tensor:
            return self.conv2(functional.max_pool2d(_some_zeros(self.conv1(images)).sqrt(), 2))

    net, images = Magnitude(), torch.randn(2, 1, 10, 10)
    return Step(net, lambda: net(images).mean())


@BACKWARD.add("sqrt", "rnn")
def root_after_an_lstm() -> Step:
    class Sequence(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn, self.head = nn.LSTM(10, 6, batch_first=True), nn.Linear(6, 2)

        def forward(self, batch: Tensor) -> Tensor:
            return self.head(_some_zeros(self.rnn(batch)[0]).sqrt())

    net, batch = Sequence(), torch.randn(4, 5, 10)
    return Step(net, lambda: net(batch).mean())


@BACKWARD.add("softmax", "fc2", says="and nan_to_num drops its value")
def masked_rows_made_finite_again() -> Step:
    mask = torch.zeros(16, 10)
    mask[3] = -torch.inf
    return step_of(Deep(lambda value: torch.nan_to_num((value + mask).softmax(1))))


@BACKWARD.add("acosh", "fc2")
def hyperbolic_distance_of_equal_points() -> Step:
    return step_of(Deep(lambda value: (_some_zeros(value) + 1).acosh()))


@BACKWARD.add("addmm", "fc1", says="no operation between it and the loss is known")
def overflow_between_layers() -> Step:
    net = Net(between=lambda value: value * 1.0)
    with torch.no_grad():
        net.fc1.weight.mul_(1e-38)
        net.fc1.bias.zero_()
        net.fc2.weight.fill_(1e38)
    return step_of(net, Tensor.sum)
