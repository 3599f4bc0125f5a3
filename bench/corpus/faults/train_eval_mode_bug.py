"""Dropout and batch normalization are in the wrong mode, or their running averages are wrong.

The program validates in train mode, on rows that are sorted by target, or trains in eval mode, or has a
batch normalization whose momentum is that of another library. Severity sets the dropout that both trainings
have, and how far the momentum is off. All forms show in the printed validation: in the first it is wrong,
in the others the model truly is worse in evaluation.
"""

from dataclasses import replace
from random import Random

from torch import nn

from corpus.fault import Fault, Harm, Unfit, between
from corpus.plan import Plan
from corpus.surgery import needs_held

_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d)
_AROUND = ("transformer", "transformer-post")
"""Families whose answers hardly change by dropout, since it leaves their stream alone."""


def _drops(model: nn.Module) -> list[nn.Dropout]:
    return [module for module in model.modules() if isinstance(module, nn.Dropout)]


def _norms(model: nn.Module) -> list[nn.Module]:
    return [module for module in model.modules() if isinstance(module, _NORMS)]


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """As much dropout as the severity says, where there is some, and validation rows sorted by target."""
    needs_held(plan)
    order = plan.held.targets.reshape(len(plan.held), -1).float().mean(1).argsort()
    plan = replace(plan, held=plan.held.part(order))
    # Many layers of dropout bear less each than a single one.
    share = round(1 - (1 - between(0.3, 0.8, severity)) ** (2 / (1 + len(_drops(plan.model)))), 2)
    for drop in _drops(plan.model):
        drop.p = share
    return replace(plan, notes=(*plan.notes, f"dropout {share}")) if _drops(plan.model) else plan


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """One of the forms that the layers of the model feel."""
    forms = []
    if _norms(plan.model):
        forms += ["validates", "validates", "trains", "averages", "averages", "averages"]
    elif _drops(plan.model) and plan.family not in _AROUND and dice.random() < 0.4:
        forms += ["validates"]
    if not forms:
        raise Unfit
    form = dice.choice(forms)
    if form == "validates":
        return replace(plan, validates_in_train_mode=True, notes=(*plan.notes, "validates in train mode"))
    if form == "trains":
        return replace(plan, trains_in_eval_mode=True, notes=(*plan.notes, "trains in eval mode"))
    momentum = float(f"{between(0.02, 1e-4, severity):.2g}")
    for norm in _norms(plan.model):
        norm.momentum = momentum
    return replace(plan, notes=(*plan.notes, f"momentum of the running averages 0.1 -> {momentum}"))


FAULT = Fault(cause="train-eval-mode-bug", inject=inject, twin=twin, harm=Harm.REPORT)
