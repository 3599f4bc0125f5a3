"""The loss of a source: where it is used and made, and what the output passes before it."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass

from traindx.changes import cst
from traindx.changes.source.definitions import assignments, of_attribute, of_name, own_nodes
from traindx.changes.source.layers import (
    Activation,
    called,
    is_keras_model,
    last_of_keras,
    last_of_sequential,
)
from traindx.changes.source.loop import differentiated
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import calls_at, calls_of, expression, last_name, module_classes
from traindx.changes.types import Edited, New, RefusedError
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, MODEL_PLACE, OUTPUT_ACTIVATION
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
    losses = [loss for call in calls_at(source, line) if (loss := _loss(source, call))]
    same = [candidate for candidate in losses if candidate.function == run.facts.get(LOSS_FUNCTION)]
    if len(same or losses) > 1:
        raise RefusedError(f"several losses at {source.shown}:{line}, ambiguous")
    if not losses:
        where = f" at {source.shown}:{line}" if line else f" in {source.shown}"
        raise RefusedError(f"the loss{where} is not a direct call of a torch loss")
    return (same or losses)[0]


def loss_calls(source: Source) -> list[cst.Call]:
    """Every call of a loss of torch with predictions and targets."""
    return [loss.used for call in source.all(cst.Call) if (loss := _loss(source, call))]


def _loss(source: Source, call: cst.Call) -> Loss | None:
    if last_name(call.func) in _FUNCTION_OF.values():
        return Loss(call, call, last_name(call.func))
    made = made_by(source, call.func, _FUNCTION_OF)
    return Loss(call, made, _FUNCTION_OF[last_name(made.func)]) if made is not None else None


_MOVES = frozenset("to cuda cpu float double half train eval".split())
"""Methods of a module that return the module."""


def made_by(
    source: Source, value: cst.BaseExpression | None, classes: Container[str], depth: int = 5
) -> cst.Call | None:
    """The call of one of some classes that an expression comes from."""
    if isinstance(value, cst.Call):
        if last_name(value.func) in classes:
            return value
        is_moved = isinstance(value.func, cst.Attribute) and value.func.attr.value in _MOVES
        value = value.func.value if is_moved and isinstance(value.func, cst.Attribute) else None
        return made_by(source, value, classes, depth)
    if isinstance(value, cst.Name) and depth:
        definitions = of_name(source, value.value, source.scope(value))
    elif isinstance(value, cst.Attribute) and depth:
        definitions = of_attribute(source, value)
    else:
        return None
    return made_by(source, definitions[0].value, classes, depth - 1) if len(definitions) == 1 else None


def divided(source: Source, backward: cst.Call, by: str) -> dict[cst.CSTNode, New]:
    """What gradients are taken of, divided by a number; refused where it is already."""
    node = differentiated(source, backward)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide):
        raise RefusedError(f"the loss is already divided at {source.place(backward)}")
    quotient = f"{source.operand(node)} / {by}"
    inside = isinstance(source.parent(node), cst.Arg | cst.Element)
    return {node: expression(quotient if inside else f"({quotient})")}


def without_activation(source: Source, one: Activation) -> Edited:
    """The source without an activation."""
    return Edited({one.node: one.without}, f"{one.code} removed at {_place(source, one)}")


def last_activation(source: Source, run: Run, kinds: Collection[str]) -> Activation:
    """The activation that the output passes last; refused where there are two or none."""
    recorded = str(run.facts.get(OUTPUT_ACTIVATION, ""))
    if recorded and recorded not in kinds:
        raise RefusedError(
            f"the output has {'no activation' if recorded == 'none' else f'a {recorded}'} before the loss"
        )
    wanted = {recorded} if recorded else set(kinds)
    for places in (_before_loss(source, run), _of_model(source, run)):
        activations = {id(activation.node): activation for activation in places if activation.kind in wanted}
        if len(activations) > 1:
            where = " and ".join(source.place(activation.node) for activation in activations.values())
            raise RefusedError(f"several activations may be the last ({where})")
        for activation in activations.values():
            return activation
    raise RefusedError(f"no {' or '.join(sorted(wanted))} at the output found in {source.shown}")


def last_activations(source: Source, run: Run) -> list[Activation]:
    """What the output may pass last: before the loss, else in the model."""
    return list(_before_loss(source, run)) or list(_of_model(source, run))


def _place(source: Source, activation: Activation) -> str:
    if isinstance(activation.node, cst.Call) and last_name(activation.node.func) == "Sequential":
        return source.place(activation.node.args[-1])
    return source.place(activation.node)


def _before_loss(source: Source, run: Run) -> Iterator[Activation]:
    """Activations in the argument of the loss, or in the statement that makes it."""
    try:
        used = loss_of(source, run).used
    except RefusedError:
        return
    if not used.args:
        return
    output = used.args[0].value
    yield from _outermost(source, output)
    if isinstance(output, cst.Name):
        for definition in of_name(source, output.value, source.scope(output)):
            if definition.value is not None and source.scope(definition.holder) is source.scope(output):
                yield from _outermost(source, definition.value)


def _of_model(source: Source, run: Run) -> Iterator[Activation]:
    if is_keras_model(source):
        last_of_model = last_of_keras(source)
        yield from [last_of_model] if last_of_model is not None else []
        return
    around = _model_class(source, run)
    if around is None:
        # A model without a class of its own: the whole of it is one nn.Sequential.
        for call in calls_of(source, {"Sequential"}):
            inside = any(
                isinstance(outer, cst.ClassDef) or _is_sequential(outer) for outer in source.around(call)
            )
            last = None if inside else last_of_sequential(source, call)
            if last is not None:
                yield last
        return
    for function in source.all(cst.FunctionDef, around):
        if function.name.value == "forward":
            yield from _of_forward(source, around, function)


def _model_class(source: Source, run: Run) -> cst.ClassDef | None:
    line = source.line_of(run, MODEL_PLACE)
    classes = module_classes(source)
    here = [class_ for class_ in classes if line is not None and source.is_at(class_, line)]
    if here:
        return here[0]
    return classes[0] if len(classes) == 1 else None


def _of_forward(source: Source, around: cst.ClassDef, function: cst.FunctionDef) -> Iterator[Activation]:
    for node in own_nodes(source, function):
        if not isinstance(node, cst.Return) or node.value is None:
            continue
        value = node.value
        yield from _outermost(source, value)
        if isinstance(value, cst.Name):
            made = assignments(own_nodes(source, function), value.value, source)
            if made and made[-1].value is not None:
                yield from _outermost(source, made[-1].value)
                value = made[-1].value
        yield from _of_part(source, around, value)


def _of_part(source: Source, around: cst.ClassDef, value: cst.BaseExpression) -> Iterator[Activation]:
    """The last activation of the nn.Sequential that an expression calls last."""
    inner = _unwrapped(value)
    if not isinstance(inner, cst.Call):
        return
    for made in assignments(source.all(cst.Assign, around), source.code(inner.func), source):
        if isinstance(made.value, cst.Call) and _is_sequential(made.value):
            last = last_of_sequential(source, made.value)
            if last is not None:
                yield last


def _outermost(source: Source, value: cst.BaseExpression) -> Iterator[Activation]:
    """The activation that an expression applies last, under what only changes its shape."""
    activation = called(source, _unwrapped(value))
    if activation is not None:
        yield activation


def _unwrapped(value: cst.BaseExpression) -> cst.BaseExpression:
    """What stands under .squeeze(1), .view(-1), [:, 0] and the like."""
    while True:
        if isinstance(value, cst.Subscript):
            value = value.value
        elif isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and _is_shape(value.func):
            value = value.func.value
        else:
            return value


def _is_shape(func: cst.Attribute) -> bool:
    return func.attr.value in ("squeeze", "view", "reshape", "flatten", "float", "unsqueeze", "ravel", "to")


def _is_sequential(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and last_name(node.func) == "Sequential"
