"""The full rate from the first step on.

The twin reaches the same peak by a warm-up. The more severe, the higher the peak, and the harder to bear at
the start.
"""

from dataclasses import dataclass, replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan, Schedule
from corpus.recipe import cosine, linear_down
from corpus.stages import restarts

_RAISED = {("sgd", "number"): (1.5, 4), ("sgd", "likeness"): (1.5, 4)}
"""How much higher the peak is than an ordinary rate, where it is not what others bear."""


@dataclass(frozen=True)
class Warmed:
    """A schedule that rises from nothing first."""

    inner: Schedule
    share: float

    def __call__(self, step: int, steps: int) -> float:
        return min(1.0, (step + 1) / max(1.0, self.share * steps)) * self.inner(step, steps)


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """A peak rate that a warm-up leads to."""
    # Adagrad shortens its first steps by itself, clipping those of SGD; a convex problem bears them.
    is_held = (
        plan.optimizer == "adagrad" or (plan.optimizer == "sgd" and plan.clip) or plan.family == "linear"
    )
    if restarts(plan) or is_held:
        raise Unfit
    low, high = _RAISED.get((plan.optimizer, plan.task.kind), (3, 10) if plan.optimizer == "sgd" else (6, 25))
    rate = float(f"{plan.rate * between(low, high, severity):.2g}")
    schedule = Warmed(dice.choice((cosine, linear_down)), dice.uniform(0.25, 0.4))
    return replace(plan, rate=rate, schedule=schedule, notes=(*plan.notes, f"rate {plan.rate:g} -> {rate:g}"))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same peak from the first step on."""
    assert isinstance(plan.schedule, Warmed)
    note = f"warm-up over {plan.schedule.share:.0%} of the run left out"
    return replace(plan, schedule=plan.schedule.inner, notes=(*plan.notes, note))


FAULT = Fault(cause="missing-warmup", inject=inject, twin=twin)
