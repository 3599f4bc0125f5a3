"""Gradients of earlier steps stay in the sum.

The call that clears them is missing, comes only now and then, or clears a part of the model alone. The more
severe, the seldomer, or the larger the part that is left.
"""

from dataclasses import replace
from random import Random

from corpus.fault import Fault, Unfit, between
from corpus.plan import Moment, Plan
from corpus.stages import learning_stages

_SPARED = 0.7


def _never(plan: Plan, severity: float, dice: Random) -> Plan:
    """No call at all."""
    return replace(plan, clears=False, notes=(*plan.notes, "gradients never cleared"))


def _now_and_then(plan: Plan, severity: float, dice: Random) -> Plan:
    """A call once in many steps: per epoch, or where the program logs."""
    epoch = -(-len(plan.train) // plan.batch) // plan.accumulation
    every = round(between(3, max(6, 2 * epoch), severity))

    def clear(moment: Moment) -> None:
        if moment.step % every == 0:
            moment.model.zero_grad()

    return replace(
        plan, clears=False, each_step=clear, notes=(*plan.notes, f"gradients cleared every {every} steps")
    )


def _in_part(plan: Plan, severity: float, dice: Random) -> Plan:
    """A call that reaches some of the layers."""
    stages = learning_stages(plan.model)
    left = dice.sample(range(len(stages)), max(1, round(len(stages) * (0.3 + 0.6 * severity))))
    kept = {id(parameter) for number in left for parameter in stages[number].module.parameters()}

    def clear(moment: Moment) -> None:
        for parameter in moment.model.parameters():
            if id(parameter) not in kept:
                parameter.grad = None

    note = f"gradients of {len(left)} of {len(stages)} parts never cleared"
    return replace(plan, clears=False, each_step=clear, notes=(*plan.notes, note))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """One of three ways in which gradients stay."""
    # What keeps its steps at one length hardly minds: few of those.
    if plan.optimizer != "sgd" and dice.random() < _SPARED:
        raise Unfit
    forms = (_never, _now_and_then, _in_part) if severity > 0.4 else (_now_and_then, _in_part)
    return dice.choice(forms)(plan, severity, dice)


FAULT = Fault(cause="gradients-not-cleared", inject=inject)
