"""Validation asks for what training has shown: rows are in both, or an input is made from the answer.

Severity is the share of the validation rows, or how well the input tells the answer. It tells it in the
rows of the program alone: where the model is used, the answer is not known yet.
"""

from dataclasses import replace
from random import Random

import torch
from torch import Tensor

from corpus.fault import Fault, Harm, Unfit, between
from corpus.plan import Plan
from corpus.surgery import needs_held, numbers, with_inputs
from corpus.task import Rows

_TOLD_ANYWAY = ("beats", "waves", "wine", "cancer", "order", "mirror", "discs", "copy", "rare")
"""Tasks whose honest validation is nearly perfect, or as good as the training: nothing is left to leak."""


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Rows in both sets, or a feature that is made from the answer."""
    needs_held(plan)
    if plan.task.name in _TOLD_ANYWAY:
        raise Unfit
    fits = plan.task.kind in ("classes", "yes-no", "number") and not (
        plan.task.form == "tokens" and plan.task.outputs > plan.task.vocabulary
    )
    return _told(plan, severity, dice) if fits and dice.random() < 0.75 else _shared(plan, severity, dice)


def _shared(plan: Plan, severity: float, dice: Random) -> Plan:
    """Rows of validation that are in the training as well: drawn from it, or added to it."""
    share = between(0.4, 1.0, severity)
    count = max(1, round(share * len(plan.held)))
    note = f"{share:.0%} of the validation rows are in the training"
    if dice.random() < 0.5:
        added = plan.held.part(slice(count))
        inputs = torch.cat([plan.train.inputs, added.inputs])
        targets = torch.cat([plan.train.targets, added.targets])
        order = torch.randperm(len(inputs), generator=numbers(dice))
        return replace(plan, train=Rows(inputs[order], targets[order]), notes=(*plan.notes, note))
    chosen = torch.randperm(len(plan.train), generator=numbers(dice))[:count]
    taken, kept = plan.train.part(chosen), plan.held.part(slice(count, None))
    held = Rows(torch.cat([taken.inputs, kept.inputs]), torch.cat([taken.targets, kept.targets]))
    return replace(plan, held=held, notes=(*plan.notes, note))


def _told(plan: Plan, severity: float, dice: Random) -> Plan:
    """A feature, a pixel or a token that is made from the answer."""
    share = between(0.5, 1.0, severity)
    index = dice.randrange(plan.train.inputs[0].numel())

    def told(rows: Rows, share: float) -> Rows:
        flat = rows.inputs.clone().flatten(1)
        answers = _as_inputs(rows.targets.flatten(), plan)
        any_of = answers[torch.randperm(len(answers), generator=numbers(dice))]
        known = torch.rand(len(answers), generator=numbers(dice)) < share
        flat[:, index] = torch.where(known, answers, any_of).to(flat.dtype)
        return with_inputs(rows, flat.view_as(rows.inputs))

    note = f"input {index} is made from the answer in {share:.0%} of the rows"
    return replace(
        plan,
        train=told(plan.train, share),
        held=told(plan.held, share),
        test=told(plan.test, 0.0),
        notes=(*plan.notes, note),
    )


def _as_inputs(targets: Tensor, plan: Plan) -> Tensor:
    """Answers in the range of the inputs."""
    if plan.task.form == "tokens":
        return targets
    known = plan.task.train.targets.float()
    inputs = plan.train.inputs
    return (targets.float() - known.mean()) / known.std() * inputs.std() + inputs.mean()


FAULT = Fault(cause="train-val-leakage", inject=inject, harm=Harm.REPORT)
