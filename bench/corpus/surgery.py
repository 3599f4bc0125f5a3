"""What several faults do to a network or to rows: give it another end, exchange a layer, draw at random."""

from random import Random

import torch
from torch import Tensor, nn

from corpus.fault import Unfit
from corpus.plan import Plan
from corpus.task import Rows

BENDS = (nn.ReLU, nn.GELU, nn.Tanh, nn.SiLU, nn.ELU)
"""The activations that the families put between their layers."""


def numbers(dice: Random) -> torch.Generator:
    """A source of random tensors that follows the dice."""
    return torch.Generator().manual_seed(dice.randrange(10**9))


def needs_held(plan: Plan) -> None:
    """Unfit where the program does not validate."""
    if not len(plan.held):
        raise Unfit


def needs_kind(plan: Plan, *kinds: str) -> None:
    """Unfit for tasks of another kind."""
    if plan.task.kind not in kinds:
        raise Unfit


def needs_measurements(plan: Plan) -> None:
    """Unfit where inputs are tokens, which have no scale."""
    if plan.task.form == "tokens":
        raise Unfit


def needs_plain_loss(plan: Plan) -> None:
    """Unfit where an oddity has changed the loss already."""
    if plan.loss is not plan.task.loss:
        raise Unfit


def put(model: nn.Module, name: str, module: nn.Module) -> None:
    """Exchange a layer inside a network."""
    owner, _, last = name.rpartition(".")
    setattr(model.get_submodule(owner), last, module)


def bends(model: nn.Module) -> list[str]:
    """The names of the activations between layers."""
    return [name for name, module in model.named_modules() if isinstance(module, BENDS)]


def last_layer(model: nn.Module) -> tuple[str, nn.Module]:
    """The layer that the outputs come from, with its name."""
    kinds = (nn.Linear, nn.Conv2d, nn.ConvTranspose2d)
    return [(name, module) for name, module in model.named_modules() if isinstance(module, kinds)][-1]


def append(model: nn.Module, *modules: nn.Module) -> None:
    """Put something behind the last layer, where its author would have written it."""
    if isinstance(model, nn.Sequential):
        model.extend(modules)
    else:
        model.head = nn.Sequential(model.head, *modules)


def end(model: nn.Module) -> nn.Module:
    """What the outputs pass last."""
    inner = model if isinstance(model, nn.Sequential) else model.head
    return inner[-1] if isinstance(inner, nn.Sequential) else inner


def exchange_end(model: nn.Module, module: nn.Module) -> None:
    """Put something else where `append` put a module."""
    inner = model if isinstance(model, nn.Sequential) else model.head
    assert isinstance(inner, nn.Sequential)
    inner[-1] = module


def widen_end(model: nn.Module, outputs: int) -> None:
    """Give the last layer another number of outputs, freshly drawn."""
    name, layer = last_layer(model)
    if not isinstance(layer, nn.Linear):
        raise Unfit
    put(model, name, nn.Linear(layer.in_features, outputs))


def with_inputs(rows: Rows, inputs: Tensor) -> Rows:
    """The same targets for other inputs."""
    return Rows(inputs, rows.targets)


def with_targets(rows: Rows, targets: Tensor) -> Rows:
    """Other targets for the same inputs."""
    return Rows(rows.inputs, targets)
