"""Operations that make a loss NaN or infinite, and inputs, targets and parameters that bring it in."""

import math
import warnings

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.recorder.graph.program import Net, Shelf, Step, silence, step_of
from traindx.recorder.graph.origin import Source

INFINITY = math.inf
NAN = math.nan

FORWARD = Shelf()


@FORWARD.add("log", "fc2", says="log(0) after layer `fc2`: 3 of 64 values are 0")
def log_of_zero() -> Step:
    def zero_three(value: Tensor) -> Tensor:
        keep = torch.ones(64)
        keep[[3, 30, 60]] = 0
        return (value.sigmoid() * keep.view(16, 4)).log()

    return step_of(Net(after=zero_three))


@FORWARD.add("log", "fc2", says="log of a negative value after layer `fc2`: ")
def log_of_negative() -> Step:
    return step_of(Net(after=torch.log))


@FORWARD.add("log", "fc1", says="log(0) after layer `fc1`")
def log_inside_the_model() -> Step:
    return step_of(Net(between=lambda value: value.relu().log()))


@FORWARD.add("div", "fc1", says="division by 0 after layer `fc1`: 16 of 16 divisors are 0")
def zero_over_zero() -> Step:
    net = Net(between=lambda value: value / value.sum(1, keepdim=True))
    silence(net.fc1)
    return step_of(net)


@FORWARD.add("div", "fc1", says="division by 0 after layer `fc1`")
def division_by_another_branch() -> Step:
    net = Net()
    silence(net.fc1)
    data = torch.randn(16, 10)

    def loss() -> Tensor:
        return (net.fc2(torch.ones(16, 16)) / net.fc1(data).sum()).mean()

    return Step(net, loss)


@FORWARD.add("sqrt", "fc2", says="sqrt of a negative value after layer `fc2`")
def sqrt_of_negative() -> Step:
    return step_of(Net(after=torch.sqrt))


@FORWARD.add("pow", "fc2", says="a negative value to the power 0.5")
def root_by_power() -> Step:
    return step_of(Net(after=lambda value: value**0.5))


@FORWARD.add("pow", "fc1", says="0 to the power -1")
def inverse_by_power() -> Step:
    return step_of(Net(between=lambda value: value.relu() ** -1.0))


@FORWARD.add("exp", "fc2", says="exp overflows float32 after layer `fc2`")
def exp_overflow() -> Step:
    return step_of(Net(after=lambda value: (value * 1e4).exp()))


@FORWARD.add("exp", "fc1", says="exp overflows float32 after layer `fc1`")
def exp_overwritten_in_place() -> Step:
    return step_of(Net(between=lambda value: (value * 1e4).exp().mul_(2)))


@FORWARD.add(
    "addmm", "fc1", Source.INPUT, "the input of layer `fc1` has 2 NaN in 320 values, first in row 17"
)
def nan_in_input_row_17() -> Step:
    data = torch.randn(32, 10)
    data[17, [2, 5]] = NAN
    return step_of(Net(), batch=data)


@FORWARD.add("conv", "0", Source.INPUT, "the input of layer `0` has 1 infinite in 432 values, first in row 2")
def infinite_pixel() -> Step:
    data = torch.randn(4, 3, 6, 6)
    data[2, 1, 0, 0] = INFINITY
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(128, 2))
    return step_of(net, batch=data)


@FORWARD.add("addmm", "fc2", Source.PARAMETER, "`fc2.weight` has 1 NaN in 64 values")
def nan_weight() -> Step:
    net = Net()
    with torch.no_grad():
        net.fc2.weight[1, 2] = NAN
    return step_of(net)


@FORWARD.add("addmm", "fc1", Source.PARAMETER, "`fc1.bias` has 16 NaN in 16 values")
def all_parameters_nan_but_weights_of_the_first() -> Step:
    net = Net()
    with torch.no_grad():
        for parameter in (net.fc1.bias, net.fc2.weight, net.fc2.bias):
            parameter.fill_(NAN)
    return step_of(net)


@FORWARD.add("addmm", "fc2", Source.PARAMETER, "`fc2.weight` has 64 infinite in 64 values")
def frozen_infinite_weight() -> Step:
    net = Net()
    net.fc2.requires_grad_(False)
    with torch.no_grad():
        net.fc2.weight.fill_(INFINITY)
    return step_of(net)


def _overflowing(number_format: torch.dtype, size: float) -> Step:
    net = Net().to(number_format)
    with torch.no_grad():
        net.fc1.weight.fill_(size)
        net.fc2.weight.fill_(size)
    return step_of(net, batch=torch.full((16, 10), 1.0, dtype=number_format))


@FORWARD.add(
    "addmm", "fc2", says="addmm overflows float16 in layer `fc2`: the result has 64 infinite in 64 values"
)
def matmul_overflow_in_half() -> Step:
    return _overflowing(torch.float16, 200.0)


@FORWARD.add("addmm", "fc2", says="addmm overflows bfloat16 in layer `fc2`")
def matmul_overflow_in_bfloat16() -> Step:
    return _overflowing(torch.bfloat16, 1e19)


@FORWARD.add("addmm", "fc2", says="addmm overflows float32 in layer `fc2`")
def matmul_overflow_in_float32() -> Step:
    return _overflowing(torch.float32, 1e19)


@FORWARD.add("mm", "fc1", says="mm overflows float32 in layer `fc1`")
def matmul_overflow_without_bias() -> Step:
    net = Net(bias=False)
    with torch.no_grad():
        net.fc1.weight.fill_(3e38)
    return step_of(net, batch=torch.ones(16, 10))


@FORWARD.add(
    "to",
    "fc1",
    says="the cast to float16 after layer `fc1` overflows: the result has 234 infinite in 256 values",
)
def cast_to_half() -> Step:
    net = Net(between=lambda value: (value * 1e6).half().float())
    return step_of(net)


@FORWARD.add("addmm", "fc2", says="addmm overflows float32 in layer `fc2`")
def cross_entropy_of_infinite_logits() -> Step:
    net = Net(between=lambda value: value.relu() * 1e30)
    with torch.no_grad():
        net.fc2.weight.mul_(1e9)
    target = torch.randint(4, (16,))
    return step_of(net, lambda logits: functional.cross_entropy(logits, target))


@FORWARD.add("exp", "fc1", says="exp overflows float32 after layer `fc1`")
def softmax_of_infinity() -> Step:
    return step_of(Net(between=lambda value: (value * 1e3).exp().softmax(1)))


@FORWARD.add("mul", "fc1", says="mul overflows float32 after layer `fc1`")
def softmax_of_overflowing_product() -> Step:
    return step_of(Net(between=lambda value: (value.sigmoid() * 1e20 * 1e20).softmax(1)))


@FORWARD.add("var", "fc2", says="var of 1 value after layer `fc2` is undefined")
def variance_of_one_row() -> Step:
    def spread(value: Tensor) -> Tensor:
        with warnings.catch_warnings(action="ignore"):
            return value.var(0)

    return step_of(Net(after=spread), batch=torch.randn(1, 10))


@FORWARD.add("mean", "fc2", says="mean of 0 values after layer `fc2`")
def mean_of_nothing() -> Step:
    return step_of(Net(after=lambda value: value[value > 1e9]))


@FORWARD.add(
    "nll_loss",
    "fc2",
    Source.LOSS,
    "nll_loss averages over 0 targets after layer `fc2`: all 16 are ignored (ignore_index=-100)",
)
def every_target_ignored() -> Step:
    target = torch.full((16,), -100)
    return step_of(Net(), lambda logits: functional.cross_entropy(logits, target) / 4)


@FORWARD.add(
    "mse_loss",
    "fc2",
    Source.TARGET,
    "the target of mse_loss after layer `fc2` has 1 NaN in 64 values, first in row 9",
)
def nan_target() -> Step:
    target = torch.randn(16, 4)
    target[9, 0] = NAN
    return step_of(Net(), lambda prediction: functional.mse_loss(prediction, target))


@FORWARD.add(
    "sub",
    "fc2",
    Source.INPUT,
    "the tensor subtracted after layer `fc2` has 1 NaN in 64 values, first in row 9",
)
def nan_target_by_hand() -> Step:
    target = torch.randn(16, 4)
    target[9, 0] = NAN
    return step_of(Net(), lambda prediction: ((prediction - target) ** 2).mean())


@FORWARD.add("log", "fc2", says="log(0) after layer `fc2`: 64 of 64 values are 0")
def log_far_from_the_loss() -> Step:
    net = Net(after=lambda value: (value.relu() * 0).log())
    return step_of(net, lambda value: (value.sum(1).view(4, 4).transpose(0, 1).reshape(-1)[2:9] / 4).mean())


@FORWARD.add("sqrt", "fc2", says="sqrt of a negative value after layer `fc2`: ")
def harmless_infinity_before() -> Step:
    def after(value: Tensor) -> Tensor:
        masked = torch.where(value > 0, value.relu().log(), 0.0).clamp(min=-5).sum()
        return value.sub(3).sqrt() + masked

    return step_of(Net(after=after))


@FORWARD.add("sqrt", "fc2", says="sqrt of a negative value after layer `fc2`: ")
def clamped_infinity_before() -> Step:
    return step_of(Net(after=lambda value: value.relu().log().clamp(min=-100) + value.sub(9).sqrt()))
