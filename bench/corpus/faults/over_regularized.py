"""Too much dropout, weight decay, augmentation by noise, or a penalty on the weights in the loss.

The more severe, the more of it.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.sequences import Attending, Recurrent
from corpus.stages import bends
from corpus.task import Rows


class Augmented(Dataset[tuple[Tensor, ...]]):
    """Rows that a change is made to whenever they are read."""

    def __init__(self, rows: Rows, change: Callable[[Tensor], Tensor]) -> None:
        self._rows, self._change = rows, change

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> tuple[Tensor, ...]:
        return self._change(self._rows.inputs[number]), self._rows.targets[number]


def _dropout(plan: Plan, severity: float, dice: Random) -> Plan:
    """Dropout after every activation, or wherever it is foreseen."""
    share, model = 1 - between(0.5, 0.04, severity), plan.model
    if isinstance(model, Recurrent):
        model.head = nn.Sequential(nn.Dropout(share), model.head)
    elif isinstance(model, Attending):
        for module in model.modules():
            if isinstance(module, nn.Dropout):
                module.p = share
    else:
        stages = bends(model)
        if not stages:
            raise Unfit
        for stage in stages:
            stage.put(nn.Sequential(stage.module, nn.Dropout(share)))
    return replace(plan, notes=(*plan.notes, f"dropout {share:.2f}"))


def _decay(plan: Plan, severity: float, dice: Random) -> Plan:
    """Weight decay that pulls as strongly as the gradient does."""
    if plan.optimizer not in ("sgd", "adamw"):
        raise Unfit
    decay = between(0.01, 0.5, severity) if plan.optimizer == "sgd" else between(1, 60, severity)
    settings = {**plan.settings, "weight_decay": decay}
    return replace(plan, settings=settings, notes=(*plan.notes, f"weight decay {decay:.2g}"))


def _noise(plan: Plan, severity: float, dice: Random) -> Plan:
    """Augmentation that hides what is to be told."""
    if plan.task.form == "tokens":
        share = between(0.2, 0.8, severity)

        def change(row: Tensor) -> Tensor:
            other = torch.randint(plan.task.vocabulary, row.shape)
            return torch.where(torch.rand(row.shape) < share, other, row)

        note = f"{share:.0%} of the tokens replaced at random"
    else:
        width = between(0.7, 6, severity)

        def change(row: Tensor) -> Tensor:
            return row + width * torch.randn(row.shape)

        note = f"noise of deviation {width:.2g} added to inputs"
    return replace(plan, dataset=lambda rows: Augmented(rows, change), notes=(*plan.notes, note))


def _penalty(plan: Plan, severity: float, dice: Random) -> Plan:
    """A sum over the absolute weights in the loss."""
    weight, inner = between(3e-4, 0.03, severity), plan.loss
    held = [
        parameter for parameter in plan.model.parameters() if parameter.dim() > 1 and parameter.requires_grad
    ]

    def loss(outputs: Tensor, targets: Tensor) -> Tensor:
        return inner(outputs, targets) + weight * torch.stack([tensor.abs().sum() for tensor in held]).sum()

    return replace(
        plan, loss=loss, notes=(*plan.notes, f"{weight:.1g} times all absolute weights in the loss")
    )


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """One of four ways to hold a network back."""
    return dice.choice((_dropout, _decay, _noise, _penalty))(plan, severity, dice)


FAULT = Fault(cause="over-regularized", inject=inject)
