"""An optimizer made for another kind of training."""

import numpy as np

from traindx.curves.inside import batches_per_epoch, looked
from traindx.curves.stated import fact_evidence, stated_number, stated_word
from traindx.facts import LEARNING_RATE, MOMENTUM, OPTIMIZER, OPTIMIZER_PLACE
from traindx.finding import Answer, Finding, Severity, sign
from traindx.quantities import REPEATED_SHARE
from traindx.run import Run

_ATTENTION = ("attention", "attn", "transformer", "self_attn", "qkv")
_WHOLE_DATA = {
    "lbfgs": "expects the same loss at every evaluation",
    "rprop": "reads the sign of the gradient",
}
_SAME = 0.8
"""Share of rows that two batches in a row have in common if they are the same data."""
_DEFAULT_RATES = {"adadelta": 1.0, "adagrad": 0.01}


@sign(needs=(OPTIMIZER,), severity=Severity.WARNING)
def optimizer_ill_fitting(run: Run) -> Answer:
    """The optimizer does not suit this model or these batches."""
    kind, name = stated_word(run, OPTIMIZER), str(run.facts[OPTIMIZER])
    says = _for_whole_data(run, kind, name) or _dies(run, kind, name) or _plain(run, kind, name)
    if not says:
        return None
    strength = 1.0 if kind in _WHOLE_DATA else 0.8
    return Finding(strength, says, (fact_evidence(run, OPTIMIZER, OPTIMIZER_PLACE),))


def _for_whole_data(run: Run, kind: str, name: str) -> str:
    """An optimizer that needs all data at every step, given batches."""
    batches, again = batches_per_epoch(run), looked(run, REPEATED_SHARE)
    if kind not in _WHOLE_DATA or (batches is not None and batches < 2):
        return ""
    if batches is None and (again is None or float(np.median(again.values)) > _SAME):
        return ""
    return f"{name} {_WHOLE_DATA[kind]}, and gets another batch at each step"


def _dies(run: Run, kind: str, name: str) -> str:
    """An optimizer whose steps shrink by themselves, at a rate meant for another."""
    rate, usual = stated_number(run, LEARNING_RATE), _DEFAULT_RATES.get(kind)
    if usual is None or rate is None or rate > 0.2 * usual:
        return ""
    return f"{name} runs at rate {rate:g}; its steps are scaled for about {usual:g}"


def _plain(run: Run, kind: str, name: str) -> str:
    """Plain gradient descent on attention, whose layers differ in scale by orders of magnitude."""
    momentum = stated_number(run, MOMENTUM)
    attends = any(word in f"{one.name} {one.kind}".lower() for one in run.model for word in _ATTENTION)
    if kind != "sgd" or not attends:
        return ""
    return f"{name} with momentum {momentum or 0:g} trains a model with attention, which needs adaptive steps"
