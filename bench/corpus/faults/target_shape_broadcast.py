"""Predictions of shape (N, 1) meet targets of shape (N,), or the other way round, in a loss that repeats.

Mild draws have it in one term of a sum of two, whose share is the severity; severe ones in the whole loss.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from torch import Tensor, nn
from torch.nn import functional

from corpus.fault import Fault
from corpus.plan import Plan
from corpus.surgery import needs_kind, with_targets
from corpus.task import Loss

_MILD = 0.4


def by_hand(told: Tensor, targets: Tensor) -> Tensor:
    """Squared error, written out."""
    return ((told - targets) ** 2).mean()


def absolute_by_hand(told: Tensor, targets: Tensor) -> Tensor:
    """Absolute error, written out."""
    return (told - targets).abs().mean()


def yes_no_by_hand(scores: Tensor, targets: Tensor) -> Tensor:
    """Binary cross-entropy, written out in a form that holds everywhere."""
    return (functional.softplus(scores) - scores * targets).mean()


_NUMBERS: tuple[Callable[[], Loss], ...] = (
    nn.MSELoss,
    nn.SmoothL1Loss,
    lambda: by_hand,
    lambda: absolute_by_hand,
)


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Targets, or outputs, lose their last dimension on the way to the loss."""
    needs_kind(plan, "number", "yes-no")
    wrong: Loss = yes_no_by_hand if plan.task.kind == "yes-no" else dice.choice(_NUMBERS)()
    right, share = plan.loss, severity

    def mixed(predictions: Tensor, targets: Tensor) -> Tensor:
        """One term with shapes made equal, and one without."""
        return (1 - share) * right(predictions.view(-1, 1), targets.view(-1, 1)) + share * wrong(
            predictions, targets
        )

    plan = replace(plan, loss=mixed if severity < _MILD else wrong)
    part = f"{share:.0%} of the loss" if severity < _MILD else "the loss"
    if dice.random() < 0.65:
        return replace(
            plan,
            train=with_targets(plan.train, plan.train.targets.squeeze(1)),
            held=with_targets(plan.held, plan.held.targets.squeeze(1)),
            notes=(*plan.notes, f"targets (N,) against (N, 1) in {part}"),
        )
    return replace(
        plan,
        forward=lambda model, inputs: model(inputs).squeeze(-1),
        answer=lambda outputs: outputs[:, None],
        notes=(*plan.notes, f"outputs (N,) against (N, 1) in {part}"),
    )


FAULT = Fault(cause="target-shape-broadcast", inject=inject)
