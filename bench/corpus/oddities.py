"""What is unusual about a healthy training and does no harm: a hasty eye would take it for a fault."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

import torch
from torch import Tensor, nn
from torch.nn import functional

from corpus.fault import Unfit
from corpus.plan import Plan

Change = Callable[[Plan, float, Random], Plan]


def accumulates(plan: Plan, severity: float, dice: Random) -> Plan:
    """Small batches, several of them for a step, their loss divided."""
    parts = dice.choice((2, 4))
    if plan.batch // parts < 8:
        raise Unfit
    return replace(
        plan, batch=plan.batch // parts, accumulation=parts, notes=(*plan.notes, f"accumulates {parts}")
    )


def clips_always(plan: Plan, severity: float, dice: Random) -> Plan:
    """Clips below the usual norm under an optimizer that does not mind."""
    if plan.optimizer not in ("adam", "adamw", "nadam"):
        raise Unfit
    return replace(plan, clip=0.1, notes=(*plan.notes, "clips at 0.1"))


def smooths_labels(plan: Plan, severity: float, dice: Random) -> Plan:
    """Label smoothing: a loss that cannot reach zero."""
    if plan.task.kind != "classes":
        raise Unfit

    def loss(scores: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(scores, targets, label_smoothing=0.1)

    return replace(plan, loss=loss, notes=(*plan.notes, "label smoothing 0.1"))


def weighs_classes(plan: Plan, severity: float, dice: Random) -> Plan:
    """A loss that weighs classes by how seldom they are."""
    if plan.task.kind != "classes":
        raise Unfit
    counts = torch.bincount(plan.train.targets, minlength=plan.task.outputs).float()
    weights = counts.sum() / (len(counts) * counts)

    def loss(scores: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(scores, targets, weight=weights)

    return replace(plan, loss=loss, notes=(*plan.notes, "class weights"))


def sums_over_outputs(plan: Plan, severity: float, dice: Random) -> Plan:
    """A loss summed over the outputs of a sample: large, under an optimizer that does not mind."""
    if plan.task.kind not in ("copy", "labels") or plan.optimizer == "sgd":
        raise Unfit
    inner, outputs = plan.loss, plan.task.outputs

    def loss(predictions: Tensor, targets: Tensor) -> Tensor:
        return inner(predictions, targets) * outputs

    return replace(plan, loss=loss, clip=0.0, notes=(*plan.notes, "loss summed over outputs"))


def freezes_entry(plan: Plan, severity: float, dice: Random) -> Plan:
    """An embedding that stays as it was drawn, as one does with ready-made ones."""
    embeddings = [module for module in plan.model.modules() if isinstance(module, nn.Embedding)]
    if not embeddings:
        raise Unfit
    embeddings[0].weight.requires_grad_(False)
    return replace(
        plan,
        parameters=lambda model: [parameter for parameter in model.parameters() if parameter.requires_grad],
        notes=(*plan.notes, "embedding frozen"),
    )


def starts_at_zero(plan: Plan, severity: float, dice: Random) -> Plan:
    """A last layer that begins with zeros, so that the first answer is the mean."""
    layers = [module for module in plan.model.modules() if isinstance(module, nn.Linear)]
    # Two samples that are told the same have no likeness to learn from; others do not end in a linear layer.
    if len(layers) < 2 or plan.task.kind in ("copy", "likeness", "mask"):
        raise Unfit
    nn.init.zeros_(layers[-1].weight)
    nn.init.zeros_(layers[-1].bias)
    return replace(plan, notes=(*plan.notes, "last layer starts at zero"))


def few_rows_held(plan: Plan, severity: float, dice: Random) -> Plan:
    """A small validation set, whose loss is restless."""
    return replace(plan, held=plan.held.part(slice(30)), notes=(*plan.notes, "30 validation rows"))


def no_validation(plan: Plan, severity: float, dice: Random) -> Plan:
    """A program that does not validate at all."""
    return replace(plan, held=plan.held.part(slice(0)), notes=(*plan.notes, "no validation"))


def rises_and_falls(plan: Plan, severity: float, dice: Random) -> Plan:
    """A rate that starts again twice, so that the loss jumps a little."""
    return replace(
        plan,
        schedule=lambda step, steps: 0.05 + 0.95 * (1 - (3 * step / steps) % 1),
        notes=(*plan.notes, "rate restarts"),
    )


def half_width(plan: Plan, severity: float, dice: Random) -> Plan:
    """Products in bfloat16."""
    if plan.family in ("lstm", "gru", "transformer", "transformer-post") or plan.task.kind == "likeness":
        raise Unfit
    return replace(plan, precision="autocast", notes=(*plan.notes, "autocast"))


def drops_inside(plan: Plan, severity: float, dice: Random) -> Plan:
    """More dropout than usual, so that training loss lies above validation loss."""
    dropouts = [module for module in plan.model.modules() if isinstance(module, nn.Dropout)]
    if not dropouts:
        raise Unfit
    for dropout in dropouts:
        dropout.p = 0.3
    return replace(plan, notes=(*plan.notes, "dropout 0.3"))


ODDITIES: Mapping[str, Change] = {
    "accumulates": accumulates,
    "clips always": clips_always,
    "smooths labels": smooths_labels,
    "weighs classes": weighs_classes,
    "sums over outputs": sums_over_outputs,
    "freezes entry": freezes_entry,
    "starts at zero": starts_at_zero,
    "few rows held": few_rows_held,
    "no validation": no_validation,
    "rises and falls": rises_and_falls,
    "half width": half_width,
    "drops inside": drops_inside,
}
"""By name."""
