"""A rate that never falls, with small batches whose noise keeps the weights from coming to rest.

The twin lets the same rate fall. The higher it is, the more severe.
"""

from dataclasses import replace
from random import Random

from corpus.families import FAMILIES
from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan, Schedule, constant
from corpus.recipe import cosine, linear_down, stairs, warmed
from corpus.stages import normalizes_over_batch, restarts

_STEPS = 1600
_WARM = 0.1
_KINDS = ("number", "tokens", "copy", "likeness")


def _begun(plan: Plan, schedule: Schedule) -> Schedule:
    """A schedule, warmed up where the family needs it."""
    return warmed(schedule, _WARM) if FAMILIES[plan.family].warms_up else schedule


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """Small batches at a brisk rate that falls to nearly nothing."""
    # Adagrad lets its steps fall by itself; classes are told well enough by weights that do not
    # rest; and Adam loses an autoencoder at such rates, decay or not.
    is_calm = plan.optimizer == "adagrad" or plan.family == "linear" or plan.task.kind not in _KINDS
    is_calm = is_calm or (plan.family == "autoencoder" and plan.optimizer != "sgd")
    if restarts(plan) or is_calm or plan.accumulation > 1 or normalizes_over_batch(plan.model):
        raise Unfit
    batch = 2
    steps = _STEPS // 2 if plan.family.startswith("transformer") else _STEPS
    low, high = (
        (0.3, 1.2) if plan.optimizer == "sgd" else (1, 4) if plan.task.kind == "likeness" else (1.5, 6)
    )
    rate = float(f"{plan.rate * between(low, high, severity):.2g}")
    return replace(
        plan,
        batch=batch,
        epochs=max(2, round(steps * batch / len(plan.train))),
        rate=rate,
        schedule=_begun(plan, dice.choice((cosine, linear_down, stairs))),
        notes=(*plan.notes, f"batch {plan.batch} -> {batch}", f"rate {plan.rate:g} -> {rate:g}"),
    )


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same rate to the end."""
    return replace(plan, schedule=_begun(plan, constant), notes=(*plan.notes, "rate never falls"))


FAULT = Fault(cause="lr-decay-needed", inject=inject, twin=twin)
