"""Looking into models and changing parts of them, for faults that sit in the model or in its training."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from corpus.families import BENDS, FAMILIES, Block, Shape
from corpus.fault import Unfit
from corpus.plan import Plan
from corpus.sequences import Attending, Recurrent, Sliding

BEND_TYPES = (nn.ReLU, nn.GELU, nn.Tanh, nn.SiLU, nn.ELU)
LAYER_TYPES = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.ConvTranspose2d)
_BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d)


@dataclass(frozen=True, eq=False)
class Stage:
    """A part of a model that stands in the line from input to output, and where it hangs."""

    parent: nn.Module
    name: str
    module: nn.Module

    def put(self, other: nn.Module) -> None:
        """Another module in its place."""
        setattr(self.parent, self.name, other)


def stages(model: nn.Module) -> list[Stage]:
    """The parts of a model in the order in which an input passes them; the head is the last one."""
    if isinstance(model, Recurrent):
        return [Stage(model, name, getattr(model, name)) for name in ("entry", "cells", "head")]
    if isinstance(model, Sliding | Attending):
        inner = model.convolutions if isinstance(model, Sliding) else model.blocks
        middle = [Stage(inner, name, child) for name, child in inner.named_children()]
        return [Stage(model, "entry", model.entry), *middle, Stage(model, "head", model.head)]
    if isinstance(model, nn.Sequential):
        return [Stage(model, name, child) for name, child in model.named_children()]
    raise Unfit


def learning_stages(model: nn.Module) -> list[Stage]:
    """The parts that have parameters."""
    return [stage for stage in stages(model) if any(True for _ in stage.module.parameters())]


def places(model: nn.Module, wanted: Callable[[nn.Module], bool]) -> list[Stage]:
    """Every module inside a model that is wanted, and where it hangs."""
    return [
        Stage(parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
        if wanted(child)
    ]


def bends(model: nn.Module) -> list[Stage]:
    """The activation functions between layers."""
    return places(model, lambda module: isinstance(module, BEND_TYPES))


def layers(model: nn.Module) -> list[nn.Module]:
    """Dense and convolutional layers in the order in which they were made; the head is the last one."""
    return [module for module in model.modules() if isinstance(module, LAYER_TYPES)]


def weight_of(layer: nn.Module) -> Tensor:
    """The weights of a dense or convolutional layer."""
    weight = layer.weight
    assert isinstance(weight, Tensor)
    return weight


def bias_of(layer: nn.Module) -> Tensor | None:
    """The biases of a layer, where it has some."""
    bias = layer.bias
    return bias if isinstance(bias, Tensor) else None


def drawn_after_he(model: nn.Module) -> None:
    """Draw hidden layers as ReLU wants them, and leave the head as it is."""
    for layer in layers(model)[:-1]:
        nn.init.kaiming_normal_(weight_of(layer), nonlinearity="relu")
        bias = bias_of(layer)
        if bias is not None:
            nn.init.zeros_(bias)


def normalizes_over_batch(model: nn.Module) -> bool:
    """Whether batch normalization is in it."""
    return any(isinstance(module, _BATCH_NORMS) for module in model.modules())


def fitting_batch(plan: Plan, rows: int, batch: int) -> int:
    """A batch size that leaves no single row at the end, which batch normalization cannot take."""
    while normalizes_over_batch(plan.model) and rows % batch == 1:
        batch += 1
    return batch


def restarts(plan: Plan) -> bool:
    """Whether the schedule is odd already: another one would contradict the notes."""
    return "rate restarts" in plan.notes


def shape_of(plan: Plan) -> Shape:
    """The size a model was built in; Unfit where an oddity has changed the model since."""
    if any(note in plan.notes for note in ("embedding frozen", "last layer starts at zero")):
        raise Unfit
    model, family = plan.model, plan.family
    types = {type(module) for module in model.modules()}
    bend = next((name for name, make in BENDS.items() if make in types), "relu")
    dropout = max((module.p for module in model.modules() if isinstance(module, nn.Dropout)), default=0.0)
    if isinstance(model, Recurrent):
        cells = model.cells
        assert isinstance(cells, nn.RNNBase)
        return Shape(cells.hidden_size, cells.num_layers, bend, cells.dropout)
    if isinstance(model, Attending):
        return Shape(model.places.shape[1], len(model.blocks), bend, dropout)
    with_weights = layers(model)
    width, blocks = (
        weight_of(with_weights[0]).shape[0],
        sum(isinstance(module, Block) for module in model.modules()),
    )
    if isinstance(model, Sliding):
        return Shape(weight_of(with_weights[1]).shape[0], len(model.convolutions), bend, dropout)
    if blocks:
        return Shape(width, blocks, bend, dropout)
    if family == "autoencoder":
        return Shape(width // 2, 0, bend, dropout)
    return Shape(
        width, 0 if family in ("autoencoder-conv", "linear") else len(with_weights) - 1, bend, dropout
    )


def rebuilt(plan: Plan, shape: Shape) -> nn.Module:
    """A model of the same family and another size, drawn anew: the seed of the plan has been set before."""
    torch.manual_seed(torch.initial_seed())
    return FAMILIES[plan.family].build(plan.task, shape)
