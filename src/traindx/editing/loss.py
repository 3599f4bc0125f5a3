"""The loss of a source: where it is used, and where it is made."""

from dataclasses import dataclass

import libcst as cst

from traindx.editing.attribute import of_attribute
from traindx.editing.calls import calls_at
from traindx.editing.definition import of_name
from traindx.editing.edit import RefusedError
from traindx.editing.source import Source
from traindx.editing.words import last_name
from traindx.fact import Fact
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE
from traindx.run import Run

_FUNCTION_OF = {
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "KLDivLoss": "kl_div",
    "PoissonNLLLoss": "poisson_nll_loss",
}
"""Classes of losses, and the functions that do the same."""


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss as the source has it."""

    used: cst.Call
    """The call with predictions and targets."""
    made: cst.Call
    """The call that takes its settings; the same one where it is a function."""
    function: str
    """Its name as a function: "cross_entropy"."""


def loss_of(source: Source, run: Run, place: Fact = LOSS_PLACE) -> Loss:
    """The loss that is computed at a place; refused where it cannot be told."""
    line = source.line_of(run, place)
    found = [loss for call in calls_at(source, line) if (loss := _loss(source, call))]
    same = [one for one in found if one.function == run.facts.get(LOSS_FUNCTION)]
    if len(same or found) > 1:
        raise RefusedError(f"{source.shown}:{line} computes several losses; which is meant cannot be told")
    if not found:
        where = f" at {source.shown}:{line}" if line else f" of {source.shown}"
        raise RefusedError(f"the loss{where} is not one of torch that is called in so many words")
    return (same or found)[0]


def _loss(source: Source, call: cst.Call) -> Loss | None:
    if last_name(call.func) in _FUNCTION_OF.values():
        return Loss(call, call, last_name(call.func))
    made = _made(source, call.func)
    return Loss(call, made, _FUNCTION_OF[last_name(made.func)]) if made is not None else None


def _made(source: Source, value: cst.BaseExpression | None, depth: int = 5) -> cst.Call | None:
    """The call of a class of losses that an expression comes from."""
    if isinstance(value, cst.Call):
        return value if last_name(value.func) in _FUNCTION_OF else None
    if isinstance(value, cst.Name) and depth:
        found = of_name(source, value.value, source.scope(value))
    elif isinstance(value, cst.Attribute) and depth:
        found = of_attribute(source, value)
    else:
        return None
    return _made(source, found[0].value, depth - 1) if len(found) == 1 else None
