"""The graph is cut inside the model, or the loss is made into a new tensor.

What cuts is detach, no_grad, data or a way through numpy. The more severe, the nearer to the output it lies.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import torch
from torch import Tensor, nn

from corpus.fault import Fault, Unfit
from corpus.plan import Plan
from corpus.stages import stages


def _detached(x: Tensor) -> Tensor:
    return x.detach()


def _data(x: Tensor) -> Tensor:
    return x.data


def _through_numpy(x: Tensor) -> Tensor:
    return torch.from_numpy(x.detach().cpu().numpy())


_CUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "detach": _detached,
    "data": _data,
    "numpy": _through_numpy,
}


class Cut(nn.Module):
    """A layer whose output has lost its graph."""

    def __init__(self, inner: nn.Module, cut: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.inner, self.cut = inner, cut

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, object]:
        outputs = self.inner(x)
        return (self.cut(outputs[0]), outputs[1]) if isinstance(outputs, tuple) else self.cut(outputs)


class Graphless(nn.Module):
    """A layer that is called as if for evaluation."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            return self.inner(x)


def _cut_loss(plan: Plan) -> Plan:
    """A loss that is a new tensor, so that backward does not complain."""
    inner = plan.loss

    def loss(outputs: Tensor, targets: Tensor) -> Tensor:
        return torch.tensor(inner(outputs, targets).item(), requires_grad=True)

    return replace(plan, loss=loss, notes=(*plan.notes, "the loss is a new tensor"))


def _learns(module: nn.Module) -> bool:
    return any(parameter.requires_grad for parameter in module.parameters())


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """A cut somewhere between the weights and the loss."""
    if severity > 0.6 and dice.random() < 0.25:
        return _cut_loss(plan)
    line = stages(plan.model)
    learning = [number for number, stage in enumerate(line) if _learns(stage.module)]
    if len(learning) < 2:
        raise Unfit
    # After the first part that learns where mild, before the last one where severe.
    first, last = learning[0], learning[-1] - 1
    stage = line[round(first + (last - first) * severity)]
    names = ["detach", "data", "no_grad", *(["numpy"] if plan.precision == "float32" else [])]
    name = dice.choice(names)
    stage.put(Graphless(stage.module) if name == "no_grad" else Cut(stage.module, _CUTS[name]))
    where = f"{type(stage.module).__name__} {stage.name}"
    return replace(plan, notes=(*plan.notes, f"graph cut by {name} after {where}"))


FAULT = Fault(cause="detached-graph", inject=inject)
