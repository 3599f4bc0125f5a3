"""Which activations of a source stand between layers, and which at the output."""

import libcst as cst

from traindx.changes.source.calls import calls_of
from traindx.changes.source.classes import is_module, module_classes
from traindx.changes.source.source import Source
from traindx.changes.source.words import last_name
from traindx.facts import MODEL_PLACE
from traindx.run import Run

_LEARNING = frozenset(
    "Linear LazyLinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d LSTM GRU RNN Embedding".split()
)
_NOT_THE_MODEL = ("_step", "loss", "predict", "evaluate", "accuracy", "metric")


def is_hidden_module(source: Source, call: cst.Call) -> bool:
    """Whether a layer with weights comes behind an activation that is made as a module."""
    end = source.lines(call)[1]
    around: cst.CSTNode = source.class_around(call) or source.scope(call)
    part: cst.CSTNode = call
    for one in source.around(call):
        if isinstance(one, cst.Call) and last_name(one.func) == "Sequential":
            places = [index for index, arg in enumerate(one.args) if arg is part]
            behind = one.args[places[0] + 1 :] if places else ()
            if any(calls_of(source, _LEARNING, arg) or arg.star for arg in behind):
                return True
        if isinstance(one, cst.Return | cst.For | cst.ListComp):
            # A part that is made for use more than once: another follows it.
            return True
        if isinstance(one, cst.FunctionDef | cst.ClassDef):
            break
        part = one
    return any(source.lines(one)[0] > end for one in calls_of(source, _LEARNING, around))


def is_hidden_call(source: Source, run: Run, call: cst.Call) -> bool:
    """Whether an activation that is called stands inside of a model, and not at its output."""
    scope = source.scope(call)
    if not is_of_model(source, call) or isinstance(scope, cst.Module):
        return False
    if any(word in scope.name.value for word in _NOT_THE_MODEL):
        return False
    return not (_is_returned(source, call) and _is_of_output(source, run, call))


def is_of_model(source: Source, node: cst.CSTNode) -> bool:
    """Whether a node stands in a module, or in a source that makes its model without a class."""
    around = source.class_around(node)
    if around is None:
        return isinstance(source.scope(node), cst.Module) or bool(
            calls_of(source, _LEARNING, source.scope(node))
        )
    return is_module(source, around)


def _is_returned(source: Source, call: cst.Call) -> bool:
    """Whether nothing with weights is applied behind an activation: return F.relu(x).mean(1)."""
    inside: cst.CSTNode = call
    for one in source.around(call):
        if isinstance(one, cst.Return):
            return True
        applied = (
            isinstance(one, cst.Call) and source.code(one.func).startswith("self.") and inside is not one.func
        )
        if applied or isinstance(one, cst.BaseSmallStatement | cst.FunctionDef):
            return False
        inside = one
    return False


def _is_of_output(source: Source, run: Run, call: cst.Call) -> bool:
    line = source.line_of(run, MODEL_PLACE)
    around = source.class_around(call)
    if line is None or around is None or len(module_classes(source)) < 2:
        return True
    return source.lines(around)[0] <= line <= source.lines(around)[1]
