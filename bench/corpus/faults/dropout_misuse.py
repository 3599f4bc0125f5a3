"""Dropout in a wrong place or mode.

On the outputs, on the inputs of the first layer, or by a functional call that does not know of evaluation.
Severity is the share that is dropped.
"""

from dataclasses import replace
from random import Random

from torch import Tensor, nn
from torch.nn import functional

from corpus.fault import Fault, between
from corpus.plan import Plan
from corpus.surgery import append, bends, put


class AlwaysDropped(nn.Module):
    """Dropout by a functional call, whose default is to drop in evaluation too."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.share)


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """One of the forms."""
    share = round(between(0.1, 0.85, severity), 2)
    form = dice.choice(("output", "output", "always", "always", "input"))
    if form == "output":
        append(plan.model, nn.Dropout(share))
        return replace(plan, notes=(*plan.notes, f"dropout of {share} on the output"))
    if form == "input" and plan.task.form != "tokens":
        _drop_before(plan.model, nn.Dropout(share))
        return replace(plan, notes=(*plan.notes, f"dropout of {share} on the input"))
    places = bends(plan.model)
    if not places:
        # A recurrent or a linear model has no activation of its own: it drops in front of the answer.
        name = "head" if hasattr(plan.model, "head") else str(len(plan.model) - 1)
        put(plan.model, name, nn.Sequential(AlwaysDropped(share), plan.model.get_submodule(name)))
        return replace(plan, notes=(*plan.notes, f"functional dropout of {share} before the last layer"))
    chosen = dice.sample(places, dice.randint(1, len(places)))
    for name in chosen:
        put(plan.model, name, nn.Sequential(plan.model.get_submodule(name), AlwaysDropped(share)))
    note = f"functional dropout of {share} after {len(chosen)} of {len(places)} activations"
    return replace(plan, notes=(*plan.notes, note))


def _drop_before(model: nn.Module, drop: nn.Module) -> None:
    """Put dropout in front of the first layer that has weights."""
    name, layer = next(
        (name, module) for name, module in model.named_modules() if isinstance(module, (nn.Linear, nn.Conv2d))
    )
    put(model, name, nn.Sequential(drop, layer))


FAULT = Fault(cause="dropout-misuse", inject=inject)
