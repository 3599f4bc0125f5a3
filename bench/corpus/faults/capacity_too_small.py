"""The same kind of network with a handful of units per layer, or with no hidden layer at all.

The more severe, the fewer units.
"""

from dataclasses import replace
from random import Random

from corpus.families import linear
from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.stages import rebuilt, shape_of

_CURVED = ("spirals", "teacher", "friedman", "labels", "majority", "order")
"""Tasks that no linear model solves."""
_DENSE = ("mlp", "mlp-deep", "mlp-norm", "mlp-residual")


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """A model that is too small."""
    shape = shape_of(plan)
    if plan.family == "linear":
        raise Unfit
    if plan.family in _DENSE and plan.task.name in _CURVED and severity > 0.5 and dice.random() < 0.3:
        return replace(plan, model=linear(plan.task, shape), notes=(*plan.notes, "no hidden layer"))
    # Four heads need a unit each.
    heads = 4 if plan.family.startswith("transformer") else 1
    width = heads * max(1, round(between(shape.width / 3, 1, severity) / heads))
    note = f"width {shape.width} -> {width}"
    return replace(plan, model=rebuilt(plan, replace(shape, width=width)), notes=(*plan.notes, note))


FAULT = Fault(cause="capacity-too-small", inject=inject)
