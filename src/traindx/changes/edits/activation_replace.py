"""Other activations between the layers."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.layers import (
    ACTIVATIONS,
    called,
    is_hidden_call,
    is_hidden_module,
    is_of_model,
    kind_of,
)
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression, imported, last_name
from traindx.changes.types import ChangeSpec
from traindx.facts import MODEL_PLACE, SCRIPT
from traindx.run import Run

_NEW = {
    "leaky_relu": ("LeakyReLU", "0.1"),
    "relu": ("ReLU", ""),
    "gelu": ("GELU", ""),
    "elu": ("ELU", ""),
    "silu": ("SiLU", ""),
    "tanh": ("Tanh", ""),
}
"""The class of an activation, and what it is made with."""
_STANDS_FOR = {"saturating": ("sigmoid", "tanh", "softsign")}
"""Words for several activations."""


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Exchange the activations that a layer follows; what the output passes last stays."""
    if len(change.words) != 2 or change.words[1] not in _NEW:
        raise RefusedError(f'"{change}" names no activation to take, such as relu leaky_relu')
    old, new = change.words
    kinds = _STANDS_FOR.get(old, (old,))
    modules = {name for name, kind in ACTIVATIONS.items() if kind in kinds}
    parts: dict[cst.CSTNode, New] = {}
    for call in source.all(cst.Call):
        if last_name(call.func) in modules and is_hidden_module(source, call):
            parts[call] = _module(source, call, new)
        elif (
            kind_of(source, call) in kinds
            and is_hidden_call(source, run, call)
            and not _is_kept(source, call)
        ):
            parts[call] = _function(source, call, new)
    parts |= _references(source, modules, new)
    if not parts:
        raise RefusedError(f"{source.shown} does not show {old} between layers in so many words")
    count = f"{len(parts)} activations" if len(parts) > 1 else "1 activation"
    first = next(iter(parts))
    says = f"{count} {old} -> {new} from {source.place(first)} on"
    return Edited(parts, says)


def _is_kept(source: Source, call: cst.Call) -> bool:
    """self.relu(x): the module is exchanged where it is made."""
    func = call.func
    return isinstance(func, cst.Attribute) and source.code(func.value) == "self"


def _module(source: Source, call: cst.Call, new: str) -> cst.BaseExpression:
    name, settings = _NEW[new]
    func = call.func
    if isinstance(func, cst.Attribute):
        return expression(f"{source.code(func.value)}.{name}({settings})")
    return expression(f"{imported(source, f'torch.nn.{name}')}({settings})")


def _function(source: Source, call: cst.Call, new: str) -> cst.BaseExpression:
    found = called(source, call)
    assert found is not None
    assert isinstance(found.without, cst.BaseExpression)
    settings = f", {_NEW[new][1]}" if _NEW[new][1] else ""
    path = "torch.tanh" if new == "tanh" else f"torch.nn.functional.{new}"
    func = expression(imported(source, path))
    # The argument keeps its node, so that an activation inside of it is exchanged too.
    argument = cst.Arg(found.without, comma=cst.MaybeSentinel.DEFAULT)
    more = [cst.Arg(expression(settings[2:]))] if settings else []
    return cst.Call(func, [argument, *more])


def _references(source: Source, modules: set[str], new: str) -> dict[cst.CSTNode, New]:
    """Classes that are named and called later: act = nn.Sigmoid."""
    calls = {id(call.func) for call in source.all(cst.Call)}
    found: dict[cst.CSTNode, New] = {}
    for node in source.all(cst.Attribute):
        around = source.parent(node)
        named = isinstance(around, cst.Assign | cst.Arg | cst.Param | cst.AnnAssign)
        if last_name(node) in modules and id(node) not in calls and named and is_of_model(source, node):
            renamed = node.with_changes(attr=cst.Name(_NEW[new][0]))
            settings = _NEW[new][1]
            made = settings and isinstance(around, cst.Assign) and _is_made_plainly(source, around)
            found[node] = expression(f"lambda: {source.code(renamed)}({settings})") if made else renamed
    return found


def _is_made_plainly(source: Source, assigned: cst.Assign) -> bool:
    """Whether a name for a class is only called, and with nothing: then it may stand for a function too."""
    name = source.code(assigned.targets[0].target)
    reads = [one for one in source.all(cst.Name) if one.value == name]
    calls = [one for one in source.all(cst.Call) if source.code(one.func) == name and not one.args]
    return len(reads) == len(calls) + 1


EDIT = Edit(name="activation.replace", edit=edit, where=(MODEL_PLACE, SCRIPT))
