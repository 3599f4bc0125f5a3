"""Activations as a source writes them: modules, functions and methods."""

from dataclasses import dataclass

import libcst as cst

from traindx.changes.source.calls import with_only
from traindx.changes.source.edit import New
from traindx.changes.source.source import Source
from traindx.changes.source.words import last_name

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
    if isinstance(func, cst.Attribute) and not _is_module(source, func.value) and not _is_kept(source, func):
        applied = func.value
    return Activation(kind, node, source.code(node), applied) if applied is not None else None


def _is_module(source: Source, base: cst.BaseExpression) -> bool:
    return source.code(base) in (
        "torch",
        "F",
        "nn.functional",
        "torch.nn.functional",
        "functional",
        "torch.special",
    )


def _is_kept(source: Source, func: cst.BaseExpression) -> bool:
    """Whether a function is an attribute of self that holds a module."""
    return isinstance(func, cst.Attribute) and source.code(func.value) == "self"


def kind_of(source: Source, call: cst.Call) -> str:
    """The function that a call applies; empty where it applies no activation."""
    func = call.func
    if isinstance(func, cst.Call):
        return ACTIVATIONS.get(last_name(func.func), "")
    if _is_kept(source, func):
        return _kept_kind(source, func)
    name = last_name(func)
    return name if name in ACTIVATION_FUNCTIONS and not _is_own(source, name) else ""


def _is_own(source: Source, name: str) -> bool:
    """Whether the source defines a function of that name itself."""
    return any(one.name.value == name for one in source.all(cst.FunctionDef))


def _kept_kind(source: Source, func: cst.CSTNode) -> str:
    around = source.class_around(func)
    made = [
        one.value
        for one in source.all(cst.Assign, around)
        if source.code(one.targets[0].target) == source.code(func) and isinstance(one.value, cst.Call)
    ]
    kinds = {ACTIVATIONS.get(last_name(one.func), "") for one in made}
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
