"""The training is sound, and the metric beside it cannot tell.

Equality of real numbers, argmax of one column, all pairs compared, probabilities cast to whole numbers,
each sample its own neighbor. Severity decides nothing: every form prints a number that hardly depends on
the model.
"""

from dataclasses import replace
from random import Random

import torch
from torch import Tensor

from corpus.fault import Fault, Harm
from corpus.plan import Plan
from corpus.surgery import needs_held
from corpus.task import Measure


def equal(told: Tensor, targets: Tensor) -> float:
    """Accuracy of a regression: how often two real numbers agree to the last bit."""
    return float((told == targets).float().mean())


def argmax_of_one_column(scores: Tensor, targets: Tensor) -> float:
    """Accuracy of the argmax along the only column."""
    return float((scores.argmax(1, keepdim=True) == targets).float().mean())


def argmax_of_labels(scores: Tensor, targets: Tensor) -> float:
    """Accuracy of a class where there are labels: the number of a column is compared with yes and no."""
    return float((scores.argmax(1, keepdim=True) == targets).float().mean())


def pairs_of_yes(scores: Tensor, targets: Tensor) -> float:
    """Accuracy with predictions (N, 1) against targets (N,): all pairs are compared."""
    return float(((scores > 0) == (targets > 0.5).squeeze(1)).float().mean())


def pairs_of_classes(scores: Tensor, targets: Tensor) -> float:
    """Accuracy with predictions (N, 1) against targets (N,)."""
    chosen = scores.flatten(0, -2).argmax(1, keepdim=True)
    return float((chosen == targets.flatten()).float().mean())


def cast_to_whole(scores: Tensor, targets: Tensor) -> float:
    """Accuracy of probabilities that were cast to whole numbers before the argmax."""
    return float((scores.softmax(-1).long().argmax(-1) == targets).float().mean())


def own_neighbor(embedded: Tensor, kinds: Tensor) -> float:
    """How often the nearest sample is of the same kind, the sample itself counted."""
    far = torch.cdist(embedded, embedded, compute_mode="donot_use_mm_for_euclid_dist")
    return float((kinds[far.argmin(1)] == kinds).float().mean())


_USELESS: dict[str, tuple[Measure, ...]] = {
    "number": (equal,),
    "copy": (equal,),
    "yes-no": (argmax_of_one_column, pairs_of_yes),
    "mask": (argmax_of_one_column,),
    "labels": (argmax_of_labels, equal),
    "classes": (pairs_of_classes, cast_to_whole),
    "tokens": (pairs_of_classes, cast_to_whole),
    "likeness": (own_neighbor,),
}


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """A metric that cannot tell."""
    needs_held(plan)
    metric = dice.choice(_USELESS[plan.task.kind])
    return replace(plan, metric=metric, notes=(*plan.notes, f"metric: {metric.__name__}"))


FAULT = Fault(cause="misleading-metric", inject=inject, harm=Harm.CERTAIN)
