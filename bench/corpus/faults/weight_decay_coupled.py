"""Weight decay of a size that is meant for AdamW, mixed into the gradient of Adam or NAdam.

The twin decouples it, at the same value. The more severe, the larger the value.
"""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """AdamW, or the switch of NAdam that makes the same of it."""
    if plan.optimizer not in ("adam", "adamw", "nadam"):
        raise Unfit
    decay = float(f"{between(0.002, 0.6, severity):.1g}")
    settings = {**plan.settings, "weight_decay": decay}
    notes = (*plan.notes, f"weight decay {decay:g}")
    if plan.optimizer == "nadam":
        return replace(plan, settings={**settings, "decoupled_weight_decay": True}, notes=notes)
    return replace(plan, optimizer="adamw", settings=settings, notes=notes)


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same value as a part of the gradient."""
    if plan.optimizer == "nadam":
        settings = {**plan.settings, "decoupled_weight_decay": False}
        return replace(plan, settings=settings, notes=(*plan.notes, "decay of nadam not decoupled"))
    return replace(plan, optimizer="adam", notes=(*plan.notes, "adamw -> adam"))


FAULT = Fault(cause="weight-decay-coupled", inject=inject, twin=twin)
