"""What the output of a model passes last, before the loss."""

from collections.abc import Collection, Iterator

import libcst as cst

from traindx.changes.source.activation import Activation, called, last_of_sequential
from traindx.changes.source.calls import calls_of
from traindx.changes.source.classes import module_classes
from traindx.changes.source.definition import assignments, of_name, own_nodes
from traindx.changes.source.edit import Edited, RefusedError
from traindx.changes.source.loss import loss_of
from traindx.changes.source.source import Source
from traindx.changes.source.words import last_name
from traindx.facts import MODEL_PLACE, OUTPUT_ACTIVATION
from traindx.run import Run


def without_last_activation(source: Source, run: Run, kinds: Collection[str]) -> Edited:
    """The source without the activation that the output passes last; refused where there are two or none."""
    seen = str(run.facts.get(OUTPUT_ACTIVATION, ""))
    if seen and seen not in kinds:
        raise RefusedError(f"the output passes {'no activation' if seen == 'none' else seen} before the loss")
    wanted = {seen} if seen else set(kinds)
    for places in (_before_loss(source, run), _of_model(source, run)):
        found = {id(one.node): one for one in places if one.kind in wanted}
        if len(found) > 1:
            where = " and ".join(source.place(one.node) for one in found.values())
            raise RefusedError(f"several activations may be the last: {where}")
        for one in found.values():
            return Edited({one.node: one.without}, f"{one.code} removed at {_place(source, one)}")
    raise RefusedError(
        f"{source.shown} does not show {' or '.join(sorted(wanted))} at the output in so many words"
    )


def last_activations(source: Source, run: Run) -> list[Activation]:
    """What the output may pass last: before the loss, else in the model."""
    return list(_before_loss(source, run)) or list(_of_model(source, run))


def _place(source: Source, one: Activation) -> str:
    if isinstance(one.node, cst.Call) and last_name(one.node.func) == "Sequential":
        return source.place(one.node.args[-1])
    return source.place(one.node)


def _before_loss(source: Source, run: Run) -> Iterator[Activation]:
    """Activations in the argument of the loss, or in the statement that makes it."""
    try:
        used = loss_of(source, run).used
    except RefusedError:
        return
    if not used.args:
        return
    given = used.args[0].value
    yield from _outermost(source, given)
    if isinstance(given, cst.Name):
        for one in of_name(source, given.value, source.scope(given)):
            if one.value is not None and source.scope(one.holder) is source.scope(given):
                yield from _outermost(source, one.value)


def _of_model(source: Source, run: Run) -> Iterator[Activation]:
    around = _model_class(source, run)
    if around is None:
        # A model without a class of its own: the whole of it is one nn.Sequential.
        for call in calls_of(source, {"Sequential"}):
            inside = any(isinstance(one, cst.ClassDef) or _is_sequential(one) for one in source.around(call))
            found = None if inside else last_of_sequential(source, call)
            if found is not None:
                yield found
        return
    for function in source.all(cst.FunctionDef, around):
        if function.name.value == "forward":
            yield from _of_forward(source, around, function)


def _model_class(source: Source, run: Run) -> cst.ClassDef | None:
    line = source.line_of(run, MODEL_PLACE)
    classes = module_classes(source)
    here = [
        one for one in classes if line is not None and source.lines(one)[0] <= line <= source.lines(one)[1]
    ]
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
            found = last_of_sequential(source, made.value)
            if found is not None:
                yield found


def _outermost(source: Source, value: cst.BaseExpression) -> Iterator[Activation]:
    """The activation that an expression applies last, under what only changes its shape."""
    found = called(source, _unwrapped(value))
    if found is not None:
        yield found


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
