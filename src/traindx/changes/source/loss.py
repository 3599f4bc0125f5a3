"""The loss of a source: where it is used, and where it is made."""

from dataclasses import dataclass

import libcst as cst

from traindx.changes.source.attribute import of_attribute
from traindx.changes.source.calls import calls_at
from traindx.changes.source.definition import of_name
from traindx.changes.source.edit import New, RefusedError
from traindx.changes.source.loop import backward_of, differentiated
from traindx.changes.source.source import Source
from traindx.changes.source.words import expression, last_name
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE
from traindx.run import Fact, Run

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


def loss_calls(source: Source) -> list[cst.Call]:
    """Every call of a loss of torch with predictions and targets."""
    return [loss.used for call in source.all(cst.Call) if (loss := _loss(source, call))]


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


def code_of_loss(source: Source, run: Run) -> list[cst.CSTNode]:
    """The statements and functions that a loss is written in, as far as the source shows them."""
    line = source.line_of(run, LOSS_PLACE)
    if line is None:
        try:
            line = source.lines(backward_of(source, run))[0]
        except RefusedError:
            return _named_loss(source)
    every = [one for one in source.nodes(source.module) if isinstance(one, cst.BaseSmallStatement)]
    small = [one for one in every if _is_at(source, one, line)]
    scopes = [one for one in map(source.scope, small) if isinstance(one, cst.FunctionDef)]
    found: list[cst.CSTNode] = [one for one in scopes if _is_of_loss(one)] or list(small)
    names = {last_name(call.func) for one in found for call in source.all(cst.Call, one)}
    for name in [one.target for each in small for one in getattr(each, "targets", ())]:
        scope = source.scope(name)
        found += [each.holder for each in of_name(source, source.code(name), scope) if each.value is not None]
    called = [one for one in source.all(cst.FunctionDef) if one.name.value in names]
    return list(dict.fromkeys([*found, *called])) or _named_loss(source)


def _named_loss(source: Source) -> list[cst.CSTNode]:
    return [one for one in source.all(cst.FunctionDef) if _is_of_loss(one)]


def _is_of_loss(function: cst.FunctionDef) -> bool:
    return any(
        word in function.name.value.lower() for word in ("loss", "bce", "nll", "entropy", "likelihood")
    )


def _is_at(source: Source, node: cst.CSTNode, line: int) -> bool:
    first, last = source.lines(node)
    return first <= line <= last


def divided(source: Source, backward: cst.Call, by: str) -> dict[cst.CSTNode, New]:
    """What gradients are taken of, divided by a number; refused where it is already."""
    node = differentiated(source, backward)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide):
        raise RefusedError(f"the loss is divided already at {source.place(backward)}")
    quotient = f"{source.operand(node)} / {by}"
    inside = isinstance(source.parent(node), cst.Arg | cst.Element)
    return {node: expression(quotient if inside else f"({quotient})")}
