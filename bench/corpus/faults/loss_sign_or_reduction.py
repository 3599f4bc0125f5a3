"""The loss has the wrong sign, is a sum over the batch where a mean was meant, or subtracts its penalty.

Mild draws are a sum under an optimizer that hardly minds, or a small penalty; severe ones turn the sign of
all.
"""

from dataclasses import dataclass, replace
from random import Random

from torch import Tensor, nn
from torch.nn import functional

from corpus.fault import Fault, between
from corpus.plan import Plan
from corpus.task import Loss

_MILD = 0.55


@dataclass(frozen=True)
class Penalized:
    """A loss with a penalty on the squares of the outputs, so that scores stay small."""

    inner: Loss
    strength: float

    def __call__(self, told: Tensor, targets: Tensor) -> Tensor:
        return self.inner(told, targets) + self.strength * (told**2).mean()


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """Now and then a loss with a penalty that is added, as it should be."""
    # Another seed of the twin has the penalty too, so that it tells the noise of the training alone.
    if severity > _MILD or Random(f"{severity}").random() < 0.5:
        return plan
    strength = float(f"{between(1e-3, 0.05, severity / _MILD):.2g}")
    note = f"penalty of {strength} on the outputs"
    return replace(plan, loss=Penalized(plan.loss, strength), notes=(*plan.notes, note))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The sign of the penalty, the reduction, or the sign of the whole."""
    loss = plan.loss
    if isinstance(loss, Penalized):
        turned = replace(loss, strength=-loss.strength)
        return replace(plan, loss=turned, notes=(*plan.notes, "penalty subtracted"))
    summed = _summed(plan)
    if summed and (severity <= _MILD or (plan.optimizer == "sgd" and dice.random() < 0.6)):
        return replace(plan, loss=summed, notes=(*plan.notes, "loss summed over the batch"))
    return replace(
        plan,
        loss=lambda outputs, targets: -loss(outputs, targets),
        notes=(*plan.notes, "sign of the loss turned"),
    )


def _summed(plan: Plan) -> Loss | None:
    """The task's loss with the other reduction, where it is the plain one."""
    if plan.loss is not plan.task.loss:
        return None
    if plan.task.kind == "classes":
        return nn.CrossEntropyLoss(reduction="sum")
    if plan.task.kind == "tokens":
        return lambda scores, targets: functional.cross_entropy(
            scores.flatten(0, 1), targets.flatten(), reduction="sum"
        )
    if plan.task.kind in ("number", "copy"):
        return nn.MSELoss(reduction="sum")
    if plan.task.kind in ("yes-no", "labels", "mask"):
        return nn.BCEWithLogitsLoss(reduction="sum")
    return None


FAULT = Fault(cause="loss-sign-or-reduction", inject=inject, twin=twin)
