"""Layers, activations and dropout of a model as a source writes them, in torch and in Keras."""

from __future__ import annotations

from dataclasses import dataclass

from traindx.changes import cst
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_of,
    is_module,
    last_name,
    module_classes,
    names_keras,
    text_of,
    with_only,
)
from traindx.changes.types import New
from traindx.facts import MODEL_PLACE
from traindx.run import Run

DROPOUTS = {
    "Dropout": "dropout",
    "Dropout1d": "dropout1d",
    "Dropout2d": "dropout2d",
    "Dropout3d": "dropout3d",
    "AlphaDropout": "alpha_dropout",
    "FeatureAlphaDropout": "feature_alpha_dropout",
}
"""Classes of dropout, and the functions they stand for."""
DROPOUT_FUNCTIONS = frozenset(DROPOUTS.values())
DROPOUTS_ON_BY_DEFAULT = DROPOUT_FUNCTIONS - {"alpha_dropout", "feature_alpha_dropout"}
"""Functions that drop where nothing is said of training; torch lets the others rest then."""

ACTIVATIONS = {
    "ReLU": "relu",
    "ReLU6": "relu",
    "LeakyReLU": "leaky_relu",
    "Sigmoid": "sigmoid",
    "Hardsigmoid": "sigmoid",
    "Tanh": "tanh",
    "Hardtanh": "tanh",
    "Softsign": "softsign",
    "Softmax": "softmax",
    "Softplus": "softplus",
}
"""Classes of activations, and the functions they stand for."""
ACTIVATION_FUNCTIONS = frozenset(ACTIVATIONS.values())


@dataclass(frozen=True, eq=False)
class Activation:
    """One activation and what would be there without it."""

    kind: str
    """The function: "softmax"."""
    node: cst.CSTNode
    code: str
    without: New


def called(source: Source, node: cst.CSTNode) -> Activation | None:
    """The activation that a call applies, as in torch.relu(x), x.relu(), nn.ReLU()(x) or self.relu(x)."""
    if not isinstance(node, cst.Call):
        return None
    kind = kind_of(source, node)
    if not kind:
        return None
    func = node.func
    applied = node.args[0].value if node.args else None
    if isinstance(func, cst.Attribute) and not is_of_torch(source, func.value) and not is_kept(source, func):
        applied = func.value
    return Activation(kind, node, source.code(node), applied) if applied is not None else None


def is_of_torch(source: Source, base: cst.BaseExpression) -> bool:
    """Whether functions of a module of torch are meant: torch, F, nn.functional."""
    return source.code(base) in (
        "torch",
        "F",
        "nn.functional",
        "torch.nn.functional",
        "functional",
        "torch.special",
    )


def is_kept(source: Source, func: cst.BaseExpression) -> bool:
    """Whether a function is an attribute of self that holds a module."""
    return isinstance(func, cst.Attribute) and source.code(func.value) == "self"


def kind_of(source: Source, call: cst.Call) -> str:
    """The function that a call applies; empty where it applies no activation."""
    func = call.func
    if isinstance(func, cst.Call):
        return ACTIVATIONS.get(last_name(func.func), "")
    if is_kept(source, func):
        return _kept_kind(source, func)
    name = last_name(func)
    return name if name in ACTIVATION_FUNCTIONS and not _is_own(source, name) else ""


def _is_own(source: Source, name: str) -> bool:
    """Whether the source defines a function of that name itself."""
    return any(function.name.value == name for function in source.all(cst.FunctionDef))


def kept_as(source: Source, func: cst.CSTNode) -> list[cst.BaseExpression]:
    """What the class around an attribute of self, such as self.fc1, assigns to it."""
    around, code = source.class_around(func), source.code(func)
    if around is None or not code.startswith("self."):
        return []
    assigned = source.all(cst.Assign, around)
    return [assignment.value for assignment in assigned if source.code(assignment.targets[0].target) == code]


def _kept_kind(source: Source, func: cst.CSTNode) -> str:
    made = [value for value in kept_as(source, func) if isinstance(value, cst.Call)]
    kinds = {ACTIVATIONS.get(last_name(call.func), "") for call in made}
    return kinds.pop() if len(kinds) == 1 else ""


def last_of_sequential(source: Source, call: cst.Call) -> Activation | None:
    """The activation that stands last in nn.Sequential(...)."""
    last = call.args[-1] if call.args else None
    if last is None or not isinstance(last.value, cst.Call):
        return None
    kind = ACTIVATIONS.get(last_name(last.value.func), "")
    if not kind or len(call.args) < 2:
        return None
    return Activation(kind, call, source.code(last.value), with_only(call, call.args[:-1]))


_LEARNING = frozenset(
    "Linear LazyLinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d LSTM GRU RNN Embedding".split()
)
_NOT_THE_MODEL = ("_step", "loss", "predict", "evaluate", "accuracy", "metric")


def is_hidden_module(source: Source, call: cst.Call) -> bool:
    """Whether a layer with weights comes behind an activation that is made as a module."""
    end = source.lines(call)[1]
    around: cst.CSTNode = source.class_around(call) or source.scope(call)
    part: cst.CSTNode = call
    for outer in source.around(call):
        if isinstance(outer, cst.Call) and last_name(outer.func) == "Sequential":
            places = [index for index, arg in enumerate(outer.args) if arg is part]
            behind = outer.args[places[0] + 1 :] if places else ()
            if any(arg.star for arg in behind) or _is_followed(source, call, outer, _LEARNING):
                return True
        if isinstance(outer, cst.Return | cst.For | cst.ListComp):
            # A part that is made for use more than once: another follows it.
            return True
        if isinstance(outer, cst.FunctionDef | cst.ClassDef):
            break
        part = outer
    return any(source.lines(learning)[0] > end for learning in calls_of(source, _LEARNING, around))


def _is_followed(source: Source, call: cst.Call, within: cst.CSTNode, names: frozenset[str]) -> bool:
    """Whether a call of one of these names stands behind another one, also inside of an OrderedDict."""
    every = source.all(cst.Call, within)
    index = next(index for index, other in enumerate(every) if other is call)
    return any(last_name(later.func) in names for later in every[index + 1 :])


def is_applied_hidden(source: Source, run: Run, value: cst.BaseExpression) -> bool:
    """Whether an activation that is kept as an attribute of self is only applied between layers."""
    around, assigned = source.class_around(value), source.parent(value)
    if around is None or not isinstance(assigned, cst.Assign):
        return False
    name = source.code(assigned.targets[0].target)
    calls = [call for call in source.all(cst.Call, around) if source.code(call.func) == name]
    kept = name.startswith("self.") and is_module(source, around)
    return kept and bool(calls) and all(is_hidden_call(source, run, call) for call in calls)


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
    for outer in source.around(call):
        if isinstance(outer, cst.Return):
            return True
        applied = (
            isinstance(outer, cst.Call)
            and source.code(outer.func).startswith("self.")
            and inside is not outer.func
        )
        if applied or isinstance(outer, cst.BaseSmallStatement | cst.FunctionDef):
            return False
        inside = outer
    return False


def _is_of_output(source: Source, run: Run, call: cst.Call) -> bool:
    line = source.line_of(run, MODEL_PLACE)
    around = source.class_around(call)
    if line is None or around is None or len(module_classes(source)) < 2:
        return True
    return source.is_at(around, line)


_WITH_WEIGHTS = frozenset("Dense Conv1D Conv2D Conv3D Conv2DTranspose".split())
_BENDING = frozenset("Activation ReLU LeakyReLU PReLU ELU Softmax".split())


def is_keras_model(source: Source) -> bool:
    """Whether a source makes its model of Keras' layers."""
    return names_keras(source) and bool(calls_of(source, _WITH_WEIGHTS))


def hidden_layers(source: Source) -> list[cst.Call]:
    """Layers with a kernel that another one follows, in the order of the text."""
    return calls_of(source, _WITH_WEIGHTS)[:-1]


def output_layer(source: Source) -> cst.Call | None:
    """The layer with a kernel that stands last."""
    calls = calls_of(source, _WITH_WEIGHTS)
    return calls[-1] if calls else None


def told_activations(source: Source) -> list[cst.Arg]:
    """Texts that name the activation of a layer, or of an activation layer, which another layer follows."""
    args = [told_activation(layer) for layer in hidden_layers(source)]
    alone = [
        argument(layer, ("activation",), 0)
        for layer in calls_of(source, {"Activation"})
        if _is_followed(source, layer, source.module, _WITH_WEIGHTS)
    ]
    return [arg for arg in (*args, *alone) if arg is not None and text_of(arg.value)]


def told_activation(call: cst.Call) -> cst.Arg | None:
    """The argument that tells a layer its activation."""
    return argument(call, ("activation",), 1 if last_name(call.func) == "Dense" else None)


def activation_of(call: cst.Call) -> str:
    """The activation that a layer is told to apply; "linear" where it is told none."""
    arg = told_activation(call)
    return "linear" if arg is None else text_of(arg.value) or "?"


def last_of_keras(source: Source) -> Activation | None:
    """The activation that the last layer with a kernel is told to apply: Dense(1, activation="sigmoid")."""
    last = output_layer(source)
    arg = told_activation(last) if last else None
    if last is None or arg is None or not text_of(arg.value) or bends_behind(source, last):
        return None
    without = with_only(last, [passed for passed in last.args if passed is not arg])
    return Activation(activation_of(last), last, source.code(arg).rstrip(", "), without)


def bends_behind(source: Source, call: cst.Call) -> bool:
    """Whether an activation of its own stands between a layer and the next one with a kernel."""
    first = source.lines(call)[1]
    later = [
        source.lines(weighted)[0]
        for weighted in calls_of(source, _WITH_WEIGHTS)
        if source.lines(weighted)[0] > first
    ]
    end = min(later, default=1 << 30)
    return any(first <= source.lines(bend)[0] <= end for bend in calls_of(source, _BENDING))
