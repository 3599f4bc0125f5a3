# mypy: allow-subclassing-any
"""The walks change nothing, run nothing of the program's, and survive every kind of graph."""

import subprocess
import sys
import warnings
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from tests.recorder.graph.backward_programs import BACKWARD
from tests.recorder.graph.forward_architectures import ARCHITECTURES
from tests.recorder.graph.forward_hidden import HIDDEN
from tests.recorder.graph.program import Net, Program, step_of
from traindx.recorder.graph import nodes
from traindx.recorder.graph.forward_origin import forward_origin
from traindx.recorder.graph.loss_head import activation_before, divisor_of
from traindx.recorder.graph.nodes import saved_by
from traindx.recorder.graph.origin import backtrace, backward_origin

PROGRAMS = ARCHITECTURES.programs | HIDDEN.programs | BACKWARD.programs


def _walk(loss: Tensor, parameters: dict[int, str]) -> tuple[str, float | None, str, str]:
    """What all walks find, the origins by what they say."""
    forward = forward_origin(loss, parameters)
    divisor, activation = divisor_of(loss), activation_before(loss)
    backward = backward_origin(backtrace(loss), parameters, list(parameters)[:1])
    return forward.says if forward else "", divisor, activation, backward.says if backward else ""


def _trained(program: Program, *, walked: bool) -> list[Tensor]:
    """Loss, gradients, parameters, buffers and the state of the dice after one step."""
    torch.manual_seed(0)
    step = program.build()
    loss = step.loss()
    if walked:
        _walk(loss, step.parameters)
    loss.backward()
    if walked:
        backward_origin(backtrace(loss), step.parameters, list(step.parameters))
    gradients = [each.grad for each in step.model.parameters() if each.grad is not None]
    return [loss.detach(), *gradients, *step.model.state_dict().values(), torch.get_rng_state()]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_step_is_the_same_to_the_bit(program: Program) -> None:
    plain, walked = _trained(program, walked=False), _trained(program, walked=True)
    assert len(plain) == len(walked)
    for left, right in zip(plain, walked, strict=True):
        assert left.numpy().tobytes() == right.numpy().tobytes()


def test_a_checkpoint_is_not_computed_again() -> None:
    calls = []

    class Counted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc, self.norm = nn.Linear(10, 4), nn.BatchNorm1d(4)

        def forward(self, batch: Tensor) -> Tensor:
            calls.append(1)
            return self.norm(self.fc(batch)).log()

    for reentrant in (False, True):
        calls.clear()
        net, batch = Counted(), torch.randn(8, 10, requires_grad=True)
        loss = checkpoint(net, batch, use_reentrant=reentrant).mean()
        mean = net.norm.running_mean.clone()
        _walk(loss, dict.fromkeys(map(id, net.parameters()), "fc.weight"))
        assert len(calls) == 1
        assert torch.equal(mean, net.norm.running_mean)


def test_hooks_on_saved_tensors_are_not_run() -> None:
    unpacked = []

    def unpack(value: Tensor) -> Tensor:
        unpacked.append(1)
        return value

    net = Net(after=torch.log)
    with torch.autograd.graph.saved_tensors_hooks(lambda value: value, unpack):
        loss = net(torch.randn(16, 10)).mean()
    _walk(loss, {})
    assert not unpacked
    loss.backward()
    assert unpacked


def test_subclasses_see_none_of_it() -> None:
    class Counting(Tensor):
        calls = 0

        @classmethod
        def __torch_function__(
            cls,
            func: Callable[..., object],
            types: object,
            args: tuple[object, ...] = (),
            kwargs: dict[str, object] | None = None,
        ) -> object:
            Counting.calls += 1
            return super().__torch_function__(func, types, args, kwargs or {})

    batch = torch.randn(16, 10)
    batch[3, 3] = torch.nan
    loss = (Net()(batch.as_subclass(Counting)) / 2).mean() / 4
    calls = Counting.calls
    origin, divisor = forward_origin(loss, {}), divisor_of(loss)
    activation_before(loss)
    assert Counting.calls == calls
    assert origin is not None
    assert "has 1 NaN in 160 values, first in row 3" in origin.says
    assert divisor == 4


def test_wrapped_tensors_are_left_alone() -> None:
    class Wrapped(Tensor):
        """As distributed tensors are: every operation on it runs code of its own."""

        calls = 0

        @staticmethod
        def __new__(cls: type["Wrapped"], inner: Tensor) -> "Wrapped":
            made: Wrapped = Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
            return made

        def __init__(self, inner: Tensor) -> None:
            self.inner = inner

        @classmethod
        def __torch_dispatch__(
            cls,
            func: Callable[..., object],
            types: object,
            args: tuple[object, ...] = (),
            kwargs: dict[str, object] | None = None,
        ) -> object:
            Wrapped.calls += 1
            plain = [each.inner if isinstance(each, Wrapped) else each for each in args]
            result = func(*plain, **(kwargs or {}))
            return Wrapped(result) if isinstance(result, Tensor) else result

    weight = nn.Parameter(torch.randn(10, 4))
    loss = (Wrapped(torch.randn(16, 10)) @ weight).log().mean()
    calls = Wrapped.calls
    _walk(loss, {id(weight): "weight"})
    assert Wrapped.calls == calls


def test_no_warning_is_given_twice() -> None:
    net, target = Net(), torch.full((16, 1), torch.nan)
    with warnings.catch_warnings(record=True) as warning_messages:
        warnings.simplefilter("always")
        loss = functional.mse_loss(net(torch.randn(16, 10)) * 1e30 * 1e30, target)
        assert len(warning_messages) == 1
        _walk(loss, {})
        assert len(warning_messages) == 1


def test_autocast_does_not_reach_the_walk() -> None:
    net = Net().double()
    with torch.no_grad():
        net.fc2.weight.mul_(1e300)
        net.fc1.weight.mul_(1e300)
    step = step_of(net, batch=torch.randn(16, 10, dtype=torch.float64))
    loss = step.loss()
    with torch.autocast("cpu", torch.bfloat16):
        origin = forward_origin(loss, step.parameters)
    assert origin is not None
    assert "addmm overflows float64 in layer `fc2`" in origin.says


def test_a_trace_holds_no_activation() -> None:
    step = step_of(Net(between=lambda value: value.exp().log().sigmoid()))
    loss = step.loss()
    trace = backtrace(loss)
    assert any(saved_by(node) for node in nodes.nodes_behind(trace))
    loss.backward()
    assert not any(saved_by(node) for node in nodes.nodes_behind(trace))


ODD: dict[str, Callable[[], Tensor]] = {
    "complex": lambda: (torch.randn(4, dtype=torch.complex64, requires_grad=True).abs() - 9).log().sum(),
    "spectrum": lambda: torch.fft.rfft(torch.randn(8, requires_grad=True)).abs().sub(99).log().sum(),
    "sparse product": lambda: (
        torch.sparse.mm(torch.eye(4).to_sparse(), -torch.ones(4, 2, requires_grad=True)).log().sum()
    ),
    "sparse embedding": lambda: functional.embedding(
        torch.tensor([0]), torch.full((2, 3), torch.nan, requires_grad=True), sparse=True
    ).sum(),
    "mapped": lambda: torch.vmap(torch.log)(-torch.ones(4, requires_grad=True)).mean(0),
    "eight bits": lambda: _eight_bits(torch.ones(4, requires_grad=True)),
    "no values": lambda: torch.ones(0, 3, requires_grad=True).mean(),
    "of a gradient": lambda: _gradient(torch.full((3,), -1.0, requires_grad=True)).sqrt().sum(),
    "many outputs": lambda: sum(each.log().sum() for each in (-torch.ones(6, requires_grad=True)).split(2)),
    "changed in place": lambda: _changed(torch.ones(4, requires_grad=True)),
    "a vector": lambda: torch.log(-torch.ones(4, requires_grad=True)),
    "on no device": lambda: torch.ones(4, device="meta", requires_grad=True).log().sum(),
    "wide": lambda: torch.stack([torch.full((), -1.0, requires_grad=True).log() for _ in range(3000)]).sum(),
}


def _gradient(value: Tensor) -> Tensor:
    (gradient,) = torch.autograd.grad(value.pow(3).neg().sum(), value, create_graph=True)
    return gradient


def _eight_bits(value: Tensor) -> Tensor:
    return (value.to(torch.float8_e4m3fn).float() * torch.nan).sum()


def _changed(value: Tensor) -> Tensor:
    doubled = value * 2
    result = doubled.exp() * torch.nan
    doubled.add_(1)
    return (result * doubled).sum()


SAYS = {
    "complex": "log of a negative value: 4 of 4 values are negative",
    "spectrum": "log of a negative value: 5 of 5 values are negative",
    "sparse product": "log of a negative value: 8 of 8 values are negative",
    "sparse embedding": "the input of embedding has 6 NaN in 6 values",
    "mapped": "log of a negative value: 4 of 4 values are negative",
    "eight bits": "the input of mul has 1 NaN in 1 value",
    "no values": "mean of 0 values",
    "of a gradient": "sqrt of a negative value: 3 of 3 values are negative",
    "many outputs": "log of a negative value: 2 of 2 values are negative",
    "changed in place": "the input of mul has 1 NaN in 1 value",
    "a vector": "log of a negative value: 4 of 4 values are negative",
    "on no device": "",
    "wide": "log of a negative value: 1 of 1 value is negative",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_graphs_are_walked_to_their_origin(name: str) -> None:
    assert _walk(ODD[name](), {}) == (SAYS[name], None, "", "")


def test_gives_up_beyond_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    step = step_of(Net(after=torch.log))
    loss = step.loss()
    assert forward_origin(loss, step.parameters) is not None
    for limit in ("MAX_NODES", "MAX_DEPTH"):
        with monkeypatch.context() as patch:
            patch.setattr(nodes, limit, 5)
            assert forward_origin(loss, step.parameters) is None
            assert backward_origin(backtrace(loss), step.parameters, list(step.parameters)) is None


DEEP = """
import threading, torch
from traindx.recorder.graph.loss_head import activation_before, divisor_of
from traindx.recorder.graph.origin import backtrace, backward_origin
from traindx.recorder.graph.forward_origin import forward_origin

def walk(depth):
    leaf = torch.ones(2, requires_grad=True)
    value = leaf * float("nan")
    for _ in range(depth):
        value = value + leaf
    loss = value.sum()
    origin = forward_origin(loss, {id(leaf): "leaf"})
    divisor_of(loss)
    activation_before(loss)
    backward_origin(backtrace(loss), {id(leaf): "leaf"}, [id(leaf)])
    del value, loss
    print("none" if origin is None else origin.operation)

for depth in (4000, 100_000):
    # The depth of the recursion that frees the graph is what matters: the smallest stack that is usual.
    threading.stack_size(2 * 1024 * 1024)
    thread = threading.Thread(target=walk, args=(depth,))
    thread.start()
    thread.join()
"""


def test_a_program_with_a_deep_graph_survives() -> None:
    done = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["mul", "none"])
