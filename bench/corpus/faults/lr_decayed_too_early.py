"""A schedule that ends long before the run.

One stepped per batch instead of per epoch, one of the length of a shorter run, stairs that come too soon, or
plateaus seen in noise. The more severe, the sooner the rate is gone.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random

from corpus.fault import Fault, between
from corpus.plan import Plan, Schedule


def _exponential(share: float) -> tuple[Schedule, str]:
    """Down to a hundredth within a share of the run."""
    return (
        lambda step, steps: 0.01 ** (step / max(1.0, share * steps))
    ), "falls exponentially, to a hundredth"


def _short_cosine(share: float) -> tuple[Schedule, str]:
    """A cosine of the length of a shorter run, held at its end."""
    return (
        lambda step, steps: (
            1e-3 + 0.4995 * (1 + math.cos(math.pi * min(1.0, step / max(1.0, share * steps))))
        ),
        "cosine ends",
    )


def _early_stairs(share: float) -> tuple[Schedule, str]:
    """A tenth at three stairs, the last one at a share of the run."""
    return (
        lambda step, steps: 0.1 ** sum(step >= part * share * steps for part in (1 / 3, 2 / 3, 1)),
        "last of three stairs",
    )


def _hasty_plateaus(share: float) -> tuple[Schedule, str]:
    """Three tenths again and again, as patience of a few batches does it, down to a floor."""
    return (
        lambda step, steps: max(1e-5, 0.3 ** int(4 * step / max(1.0, share * steps))),
        "four plateaus seen",
    )


_FORMS: tuple[Callable[[float], tuple[Schedule, str]], ...] = (
    _exponential,
    _short_cosine,
    _early_stairs,
    _hasty_plateaus,
)


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """What the schedule was, times one that falls too early."""
    share, before = between(0.7, 0.03, severity), plan.schedule
    early, what = dice.choice(_FORMS)(share)
    note = f"{what} by {share:.0%} of the run"
    return replace(
        plan,
        schedule=lambda step, steps: before(step, steps) * early(step, steps),
        notes=(*plan.notes, note),
    )


FAULT = Fault(cause="lr-decayed-too-early", inject=inject)
