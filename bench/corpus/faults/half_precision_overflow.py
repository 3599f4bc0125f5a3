"""Model and inputs are float16: a loss scale or large inputs overflow, or the optimizer's epsilon vanishes.

Severity is the scale of the loss, or the unit of inputs that the model normalizes itself; in severe draws the
optimizer has its usual epsilon, which float16 does not know. The twin trains the same in float32.
"""

from dataclasses import replace
from random import Random

from torch import nn

from corpus.fault import Fault, between
from corpus.plan import Plan
from corpus.surgery import with_inputs
from corpus.task import Rows

_KNOWN_EPSILON = 1e-4
"""One that float16 knows."""
_SEVERE = 0.5


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same in float32."""
    settings = dict(plan.settings)
    if severity < _SEVERE and plan.optimizer != "sgd":
        settings["eps"] = _KNOWN_EPSILON
    plan = replace(plan, precision="float32", settings=settings)
    if plan.task.form == "vector" and Random(f"{severity}").random() < 0.4:
        return _large(plan, severity)
    return plan


def _large(plan: Plan, severity: float) -> Plan:
    """Inputs in a small unit, and a model that normalizes them first."""
    unit, width = between(10, 1e6, severity), plan.train.inputs.shape[1]
    assert isinstance(plan.model, nn.Sequential)
    plan.model.insert(0, nn.BatchNorm1d(width))

    def measured(rows: Rows) -> Rows:
        return with_inputs(rows, rows.inputs * unit)

    return replace(
        plan,
        train=measured(plan.train),
        held=measured(plan.held),
        test=measured(plan.test),
        notes=(*plan.notes, f"inputs times {unit:.0f}, normalized by the model"),
    )


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Pure float16, with or without a fixed loss scale."""
    is_large = plan.train.inputs is not plan.task.train.inputs
    scale = 1.0 if is_large or dice.random() < 0.25 else 2.0 ** round(between(4, 26, severity))
    note = f"float32 -> float16, loss times {scale:.0f}"
    return replace(plan, precision="float16", loss_scale=scale, notes=(*plan.notes, note))


FAULT = Fault(cause="half-precision-overflow", inject=inject, twin=twin)
