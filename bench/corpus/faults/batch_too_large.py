"""Batches so large that an epoch has few steps, at the same rate and for the same epochs.

The more severe, the larger, up to the whole data.
"""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Plan
from corpus.stages import fitting_batch


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same epochs in large batches."""
    if plan.accumulation > 1:
        raise Unfit
    most = len(plan.train) / plan.batch
    batch = min(len(plan.train), round(plan.batch * between(min(2, most), most, severity)))
    batch = fitting_batch(plan, len(plan.train), batch)
    return replace(plan, batch=batch, notes=(*plan.notes, f"batch {plan.batch} -> {batch}"))


FAULT = Fault(cause="batch-too-large", inject=inject)
