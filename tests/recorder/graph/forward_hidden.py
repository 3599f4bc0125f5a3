# mypy: allow-subclassing-any
"""The same where the graph hides values: in custom functions, checkpoints, frozen layers, casts, masks."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from tests.recorder.graph.program import Net, Shelf, Step, step_of
from traindx.recorder.graph.origin import Source

INFINITY = math.inf
NAN = math.nan

HIDDEN = Shelf()


class Cursed(torch.autograd.Function):
    """A function of the user's own that gives NaN for values above 1."""

    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, value: Tensor) -> Tensor:
        ctx.save_for_backward(value)
        return torch.where(value > 1, NAN, value)

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, gradient: Tensor) -> Tensor:
        return gradient


@HIDDEN.add("Cursed", "fc1", says="first appears in Cursed after layer `fc1`", watched=False)
def custom_function() -> Step:
    return step_of(Net(between=lambda value: Cursed.apply(value * 3).relu()))


@HIDDEN.add("Cursed", "fc2", watched=False)
def custom_function_before_a_sum() -> Step:
    return step_of(Net(after=lambda value: Cursed.apply(value * 3)), Tensor.sum)


class Checkpointed(nn.Module):
    """A network whose saved tensors would be computed again if anyone looked at them."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner, self.last = inner, nn.Linear(4, 2)

    def forward(self, batch: Tensor) -> Tensor:
        return self.last(checkpoint(self.inner, batch, use_reentrant=False))


@HIDDEN.add("addmm", "last", Source.PARAMETER, "`last.bias` has 1 NaN in 2 values", watched=False)
def checkpointed_layers() -> Step:
    net = Checkpointed(Net())
    with torch.no_grad():
        net.last.bias[0] = NAN
    return step_of(net)


@HIDDEN.add("log", "inner.fc2", watched=False)
def origin_inside_a_checkpoint() -> Step:
    return step_of(Checkpointed(Net(after=torch.log)))


@HIDDEN.add(
    "weight_norm",
    "fc",
    Source.PARAMETER,
    "`fc.parametrizations.weight.original1` has 1 NaN in 40 values",
    watched=False,
)
def weight_norm() -> Step:
    net = nn.Module()
    net.fc = nn.utils.parametrizations.weight_norm(nn.Linear(10, 4, bias=False))
    with torch.no_grad():
        net.fc.parametrizations.weight.original1[0, 0] = NAN
    data = torch.randn(16, 10)
    return Step(net, lambda: net.fc(data).mean())


@HIDDEN.add(
    "addmm",
    "fc1",
    Source.INPUT,
    "the input of layer `fc1` has 10 NaN in 160 values, first in row 3",
    watched=False,
)
def input_that_requires_a_gradient() -> Step:
    data = torch.randn(16, 10)
    data[3] = NAN
    return step_of(Net(), batch=data.requires_grad_())


@HIDDEN.add("addmm", "fc2", says="addmm overflows float16 in layer `fc2`", watched=False)
def autocast_overflow() -> Step:
    net = Net(between=lambda value: value.relu() * 200)
    data = torch.ones(16, 10)
    with torch.no_grad():
        net.fc1.weight.fill_(9.0)
        net.fc2.weight.fill_(9.0)

    def loss() -> Tensor:
        with torch.autocast("cpu", torch.float16):
            return net(data).float().mean()

    return Step(net, loss)


@HIDDEN.add(
    "log_softmax", "fc2", says="16 of 64 results are -inf, and the loss uses one of them", watched=False
)
def target_is_a_masked_class() -> Step:
    hidden, target = torch.tensor([False, False, False, True]), torch.arange(16) % 4
    return step_of(
        Net(), lambda logits: functional.cross_entropy(logits.masked_fill(hidden, -INFINITY), target)
    )


@HIDDEN.add(
    "setitem", "fc1", Source.INPUT, "the tensor assigned after layer `fc1` has 16 NaN in 256", watched=False
)
def assignment_in_place() -> Step:
    def overwrite(value: Tensor) -> Tensor:
        value[0] = NAN
        return value

    return step_of(Net(between=overwrite))


@HIDDEN.add("addmm", "adapter", Source.PARAMETER, "`adapter.weight` has 1 NaN in 100 values, first in row 4")
def adapter_beside_a_frozen_layer() -> Step:
    class Adapted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.frozen, self.adapter, self.head = nn.Linear(10, 10), nn.Linear(10, 10), nn.Linear(10, 2)
            self.frozen.requires_grad_(False)

        def forward(self, batch: Tensor) -> Tensor:
            return self.head(self.frozen(batch) + self.adapter(batch))

    net = Adapted()
    with torch.no_grad():
        net.adapter.weight[4, 4] = NAN
    return step_of(net)
