"""The code that computes a loss: statements and functions of the user, and what the model gives them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from traindx.changes import cst
from traindx.changes.source.definitions import Definition, of_attribute, of_name
from traindx.changes.source.loop import backward_of
from traindx.changes.source.loss import made_by
from traindx.changes.source.optimizer import optimizer_call, parameters_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import is_module, last_name, module_classes
from traindx.changes.types import RefusedError
from traindx.facts import LOSS_PLACE
from traindx.run import Run

_STEPS = ("training_step", "compute_loss", "train_step")
"""Methods in which frameworks expect the loss."""
_LAYERS = ("Linear", "Conv", "LSTM", "GRU", "RNN", "Embedding", "Transformer", "Norm", "Sequential", "Dense")
"""Parts of the names of layers with weights: a class that makes them is a model, not a loss."""
_FORWARD = ("forward", "__call__")


def code_of_loss(source: Source, run: Run) -> list[cst.CSTNode]:
    """The statements and functions that a loss is written in, as far as the source shows them."""
    code: dict[cst.CSTNode, None] = {}
    waiting = _begins(source, run)
    while waiting:
        node = waiting.pop(0)
        if node in code:
            continue
        code[node] = None
        waiting += _functions_called(source, run, node)
        if isinstance(node, cst.BaseSmallStatement):
            names = [
                *(target.target for target in getattr(node, "targets", ())),
                *_read_by(source, run, node),
            ]
            waiting += [each.holder for name in names for each in own_definitions(source, name)]
    return list(code)


def _begins(source: Source, run: Run) -> list[cst.CSTNode]:
    """Where the loss is computed, or gradients are taken of it; else where a framework expects it."""
    steps = [parameter for parameter in source.all(cst.FunctionDef) if parameter.name.value in _STEPS]
    line = source.line_of(run, LOSS_PLACE)
    with suppress(RefusedError):
        line = line or source.lines(backward_of(source, run))[0]
    if steps or line is None:
        return [*steps] or _named_loss(source)
    every = [
        parameter
        for parameter in source.nodes(source.module)
        if isinstance(parameter, cst.BaseSmallStatement)
    ]
    small = [parameter for parameter in every if source.is_at(parameter, line)]
    scopes = [parameter for parameter in map(source.scope, small) if isinstance(parameter, cst.FunctionDef)]
    return (
        [parameter for parameter in scopes if is_named_loss(parameter.name.value)]
        or [*small]
        or _named_loss(source)
    )


def nodes_of_loss(source: Source, run: Run, within: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes of code that computes a loss, without what the model is given."""
    yield within
    if isinstance(within, cst.Attribute):
        yield from nodes_of_loss(source, run, within.value)
    elif not (isinstance(within, cst.Call) and is_of_model(source, run, within)):
        for child in source.children(within):
            yield from nodes_of_loss(source, run, child)


def _read_by(source: Source, run: Run, statement: cst.CSTNode) -> list[cst.BaseExpression]:
    """The names that the value of a statement is computed from."""
    value = getattr(statement, "value", None)
    inside = nodes_of_loss(source, run, value) if isinstance(value, cst.BaseExpression) else ()
    return [name for name in inside if isinstance(name, cst.Name)]


def own_definitions(source: Source, name: cst.BaseExpression) -> list[Definition]:
    """What gives a name its value in its own function: what callers give has other gradients."""
    scope = source.scope(name)
    every = of_name(source, source.code(name), scope)
    return [
        definition
        for definition in every
        if definition.value is not None and source.scope(definition.holder) is scope
    ]


def _functions_called(source: Source, run: Run, within: cst.CSTNode) -> list[cst.FunctionDef]:
    """The functions of the file that code calls, those of the model left out."""
    inside = (node for node in nodes_of_loss(source, run, within) if isinstance(node, cst.Call))
    calls = [call for call in inside if not is_of_model(source, run, call)]
    return [function for call in calls if (function := function_of(source, call)) is not None]


def function_of(source: Source, call: cst.Call) -> cst.FunctionDef | None:
    """The one function of the file that a call enters: by its name, or as the forward of its class."""
    every = source.all(cst.FunctionDef)
    for name in (last_name(call.func), _other_name(source, call.func)):
        same = [function for function in every if function.name.value == name]
        if same:
            return same[0] if len(same) == 1 else None
    classes = {class_.name.value: class_ for class_ in source.all(cst.ClassDef)}
    made = made_by(source, call.func, classes)
    if made is None:
        return None
    inside = source.all(cst.FunctionDef, classes[last_name(made.func)])
    return next((function for function in inside if function.name.value in _FORWARD), None)


def _other_name(source: Source, func: cst.BaseExpression) -> str:
    """The name behind another one, as in "criterion = focal_loss"."""
    known: list[Definition] = []
    if isinstance(func, cst.Name):
        known = of_name(source, func.value, source.scope(func))
    elif isinstance(func, cst.Attribute):
        known = of_attribute(source, func)
    return last_name(known[0].value) if len(known) == 1 and known[0].value is not None else ""


def is_of_model(source: Source, run: Run, call: cst.Call) -> bool:
    """Whether a call gives what the model predicts."""
    code = source.code(call.func)
    around = source.class_around(call)
    if code in ("self", "self.forward"):
        return around is not None and is_module(source, around)
    model = ""
    with suppress(RefusedError):
        model = parameters_of(source, optimizer_call(source, run))
    return code == model != "" or made_by(source, call.func, _models(source)) is not None


def is_prediction(source: Source, run: Run, value: cst.BaseExpression) -> bool:
    """Whether a value is what the model gives, or the name of it."""
    if isinstance(value, cst.Name):
        known = own_definitions(source, value)
        value = known[0].value if len(known) == 1 and known[0].value is not None else value
    return isinstance(value, cst.Call) and is_of_model(source, run, value)


@lru_cache(maxsize=8)
def _models(source: Source) -> frozenset[str]:
    """The names of classes of layers, and of those of the file that have layers."""
    called = (last_name(call.func) for call in source.all(cst.Call))
    own = (class_.name.value for class_ in module_classes(source) if _has_layers(source, class_))
    return frozenset((*filter(_is_layer, called), *own))


def _has_layers(source: Source, class_: cst.ClassDef) -> bool:
    return any(_is_layer(last_name(call.func)) for call in source.all(cst.Call, class_))


def _is_layer(name: str) -> bool:
    return name[:1].isupper() and any(part in name for part in _LAYERS)


def _named_loss(source: Source) -> list[cst.CSTNode]:
    return [function for function in source.all(cst.FunctionDef) if is_named_loss(function.name.value)]


def is_named_loss(name: str) -> bool:
    """Whether a function is called as losses are."""
    return any(word in name.lower() for word in ("loss", "bce", "nll", "entropy", "likelihood"))
