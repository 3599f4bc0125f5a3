"""Odd surroundings: modes, hooks and watchers of the program's own."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.fx
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from tests.promises.odd.ordinary import STEPS, ends, fit, mlp
from tests.promises.trainings import randomness


def an_operation_counter() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with FlopCounterMode(display=False) as counter:
        result = fit(model, optimizer)
    return result, counter.get_total_flops()


def counted_unpacking_of_what_is_saved() -> object:
    model = mlp()
    unpacked = []

    def unpack(value: Tensor) -> Tensor:
        unpacked.append(1)
        return value

    with torch.autograd.graph.saved_tensors_hooks(lambda value: value, unpack):
        result = fit(model, torch.optim.SGD(model.parameters(), lr=0.01))
    return result, len(unpacked)


def hooks_of_the_program() -> object:
    calls: list[str] = []

    def seen(module: nn.Module, args: object, output: Tensor) -> Tensor:
        calls.append(type(module).__name__)
        return output * 1.5

    handle = nn.modules.module.register_module_forward_hook(seen)
    model = mlp()
    model[2].register_full_backward_hook(lambda *_: calls.append("backward"))
    try:
        return fit(model, torch.optim.SGD(model.parameters(), lr=0.01), calls)
    finally:
        handle.remove()


def deterministic_algorithms() -> object:
    torch.use_deterministic_algorithms(True)
    try:
        model = mlp()
        return fit(model, torch.optim.Adam(model.parameters(), lr=0.01))
    finally:
        torch.use_deterministic_algorithms(False)


def another_default_device() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = [torch.randn(6, 4) for _ in range(STEPS)]
    with torch.device("meta"):
        for x in batches:
            optimizer.zero_grad()
            functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
            optimizer.step()
    return ends(model, optimizer)


def things_that_live_as_long_as_they_should() -> object:
    """Nothing of the program is kept alive: not a loss, not a batch, not a model that is done with."""
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    alive = []
    for _ in range(STEPS):
        x = torch.randn(6, 4)
        out = model(x)
        loss = functional.mse_loss(out, x.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        refs = [weakref.ref(thing) for thing in (x, out, loss)]
        del x, out, loss
        alive.append([ref() is not None for ref in refs])
    ended = [weakref.ref(thing) for thing in (model, model[0].weight, optimizer)]
    del model, optimizer
    gc.collect()
    return alive, [ref() is not None for ref in ended]


def two_threads_at_once() -> object:
    models = [mlp(), nn.Linear(4, 1)]
    batches = [torch.randn(STEPS, 6, 4) for _ in models]

    def train(model: nn.Module, inputs: Tensor) -> list[float]:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        losses = []
        for x in inputs:
            loss = functional.mse_loss(model(x), x.sum(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(train, models, batches)), randomness()


def a_compiled_function() -> object:
    """The loss included; with this backend torch only reads the program, and compiles nothing."""
    torch.compiler.reset()
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    graphs: list[object] = []

    def keep(graph: torch.fx.GraphModule, _: object) -> object:
        graphs.append(graph.code)
        return graph.forward

    @torch.compile(backend=keep)
    def loss_of(x: Tensor) -> Tensor:
        return functional.mse_loss(model(x), x.sum(1, keepdim=True))

    for _ in range(STEPS):
        optimizer.zero_grad()
        loss_of(torch.randn(6, 4)).backward()
        optimizer.step()
    return ends(model, optimizer, graphs)


def a_traced_model() -> object:
    model = torch.fx.symbolic_trace(mlp())
    return fit(model, torch.optim.SGD(model.parameters(), lr=0.01), model.code)
