"""Other activations between the layers."""

from __future__ import annotations

import re
from collections.abc import Callable

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.functional import Activation, Calls, Place, followed, modules_of
from traindx.changes.live.keras_layers import hidden_layers, is_told_activation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.hyperparameter import Option
from traindx.changes.source.layers import (
    ACTIVATIONS,
    called,
    is_applied_hidden,
    is_hidden_call,
    is_hidden_module,
    is_kept,
    is_of_model,
    is_of_torch,
    kind_of,
    told_activations,
)
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression, imported, last_name, names_keras, text_of, with_value
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError
from traindx.errors import TraindxError
from traindx.facts import MODEL_PLACE, SCRIPT
from traindx.format import count
from traindx.run import Run

_FUNCTIONS = {"saturating": ("sigmoid", "tanh")}
"""What a word stands for among functions, where it is not one itself."""
_NEW = {
    "leaky_relu": ("LeakyReLU", "0.1"),
    "relu": ("ReLU", ""),
    "gelu": ("GELU", ""),
    "elu": ("ELU", ""),
    "silu": ("SiLU", ""),
    "tanh": ("Tanh", ""),
}
"""The class of an activation, and what it is made with."""
_OLD = {
    "relu": "ReLU ReLU6",
    "sigmoid": "Sigmoid Hardsigmoid",
    "tanh": "Tanh Hardtanh",
    "saturating": "Sigmoid Hardsigmoid Tanh Hardtanh Softsign",
}
"""Activations that are modules of torch, under the words of the change."""
_STANDS_FOR = {"saturating": ("sigmoid", "tanh", "softsign")}
"""Words for several activations."""


def _new_module(kind: str) -> nn.Module:
    name, settings = _NEW[kind]
    return getattr(nn, name)(*map(float, settings.split()))


def _torch(program: Program, change: ChangeSpec) -> None:
    """Exchange activations that are modules or functions; what the output passes last stays."""
    if len(change.words) != 2 or change.words[0] not in _OLD or change.words[1] not in _NEW:
        known = f"expected one of {', '.join(_OLD)}, then one of {', '.join(_NEW)}"
        raise TraindxError(f'"{change}": {known}, for example: activation.replace relu leaky_relu')
    old, new = change.words

    def exchange(model: nn.Module) -> None:
        old_modules = [path for path in followed(model, modules_of(_OLD[old].split())) if path]
        for path in old_modules:
            parent, _, name = path.rpartition(".")
            setattr(model.get_submodule(parent), name, _new_module(new))
        if old_modules:
            program.applied(change, f"{count(len(old_modules), f'{old} module')} replaced by {new}")

    program.on_model(exchange)
    instead: Activation = _new_module(new)

    def replaced(location: Place, _: Activation) -> Activation | None:
        if location is Place.OUTPUT:
            return None
        program.applied(change, f"calls of {old} replaced by {new}")
        return instead

    calls = Calls(program, replaced)
    for function in _FUNCTIONS.get(old, (old,)):
        calls.watch(function)


def _old_functions() -> dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], ...]]:
    """Activations of Keras under the words of the change."""
    sigmoids = (keras.activations.sigmoid, keras.activations.hard_sigmoid)
    tanhs = (keras.activations.tanh, keras.activations.hard_tanh)
    return {
        "relu": (keras.activations.relu, keras.activations.relu6),
        "sigmoid": sigmoids,
        "tanh": tanhs,
        "saturating": (*sigmoids, *tanhs, keras.activations.softsign),
    }


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Exchange activations of layers that another layer with weights follows."""
    old, new = change.words
    before, after = _old_functions()[old], getattr(keras.activations, new)

    def bent(_: nn.Module, args: tuple[object, ...], __: object) -> object:
        return after(args[0])

    def exchange(model: keras.Layer) -> None:
        hidden = hidden_layers(model)
        with_activation = [layer for layer in hidden if is_told_activation(layer)]
        named = [layer for layer in with_activation if layer.activation in before]
        alone = [layer for layer in hidden if isinstance(layer, keras.layers.ReLU) and old == "relu"]
        for layer in named:
            layer.activation = after
        for layer in alone:
            layer.register_forward_hook(bent)
        if named or alone:
            program.applied(change, f"{old} replaced by {new} in {count(len(named) + len(alone), 'layer')}")
        else:
            program.refuse(change, f"no hidden layer has a {old} activation")

    program.on_model(exchange)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Exchange the activations that a layer follows; what the output passes last stays."""
    if len(change.words) != 2 or change.words[1] not in _NEW:
        raise RefusedError(
            f'"{change}": expected known activations, for example: activation.replace relu leaky_relu'
        )
    old, new = change.words
    kinds = _STANDS_FOR.get(old, (old,))
    modules = {name for name, kind in ACTIVATIONS.items() if kind in kinds}
    parts: dict[cst.CSTNode, New] = {}
    for call in source.all(cst.Call):
        is_made = last_name(call.func) in modules
        if is_made and (is_hidden_module(source, call) or is_applied_hidden(source, run, call)):
            parts[call] = _module(source, call, new)
        elif kind_of(source, call) in kinds and is_hidden_call(source, run, call):
            # self.relu(x): the module is exchanged where it is made.
            parts |= {} if is_kept(source, call.func) else {call: _function(source, call, new)}
    parts |= _references(source, modules, new) | _functions(source, run, kinds, new)
    if names_keras(source):
        args = [arg for arg in told_activations(source) if text_of(arg.value) in kinds]
        parts |= {arg: with_value(arg, f'"{new}"') for arg in args}
    if not parts:
        raise RefusedError(f"no {old} between layers found in {source.shown}")
    first = next(iter(parts))
    says = f"{count(len(parts), 'activation')} {old} -> {new}, from {source.place(first)}"
    return Edited(parts, says)


def _module(source: Source, call: cst.Call, new: str) -> cst.BaseExpression:
    name, settings = _NEW[new]
    func = call.func
    if isinstance(func, cst.Attribute):
        return expression(f"{source.code(func.value)}.{name}({settings})")
    return expression(f"{imported(source, f'torch.nn.{name}')}({settings})")


def _function(source: Source, call: cst.Call, new: str) -> cst.BaseExpression:
    activation = called(source, call)
    assert activation is not None
    assert isinstance(activation.without, cst.BaseExpression)
    settings = f", {_NEW[new][1]}" if _NEW[new][1] else ""
    path = "torch.tanh" if new == "tanh" else f"torch.nn.functional.{new}"
    func = expression(imported(source, path))
    # The argument keeps its node, so that an activation inside of it is exchanged too.
    argument = cst.Arg(activation.without, comma=cst.MaybeSentinel.DEFAULT)
    more = [cst.Arg(expression(settings[2:]))] if settings else []
    return cst.Call(func, [argument, *more])


def _functions(source: Source, run: Run, kinds: tuple[str, ...], new: str) -> dict[cst.CSTNode, New]:
    """Functions that are named and called later: self.act = torch.tanh, Net(activation=torch.tanh)."""
    news: dict[cst.CSTNode, New] = {}
    for node in source.all(cst.Attribute):
        if last_name(node) not in kinds or not is_of_torch(source, node.value):
            continue
        around = source.parent(node)
        name = ""
        if isinstance(around, cst.Arg) and around.keyword is not None:
            name = around.keyword.value
        elif isinstance(around, cst.Param):
            name = around.name.value
        elif isinstance(around, cst.AnnAssign):
            name = source.code(around.target)
        if is_applied_hidden(source, run, node) or _ACTIVATION.search(name.lower()):
            path = f"torch.{new}" if new in ("tanh", "relu") else f"torch.nn.functional.{new}"
            news[node] = expression(imported(source, path))
    return news


_ACTIVATION = re.compile(r"^act|activation|nonlin")
"""What parameters for an activation are called."""


def _references(source: Source, modules: set[str], new: str) -> dict[cst.CSTNode, New]:
    """Classes that are named and called later: act = nn.Sigmoid."""
    calls = {id(call.func) for call in source.all(cst.Call)}
    news: dict[cst.CSTNode, New] = {}
    for node in source.all(cst.Attribute):
        around = source.parent(node)
        named = isinstance(around, cst.Assign | cst.Arg | cst.Param | cst.AnnAssign)
        if last_name(node) in modules and id(node) not in calls and named and is_of_model(source, node):
            renamed = node.with_changes(attr=cst.Name(_NEW[new][0]))
            settings = _NEW[new][1]
            made = settings and isinstance(around, cst.Assign) and _is_made_plainly(source, around)
            news[node] = expression(f"lambda: {source.code(renamed)}({settings})") if made else renamed
    return news


def _is_made_plainly(source: Source, assigned: cst.Assign) -> bool:
    """Whether a name for a class is only called, and with nothing: then it may stand for a function too."""
    name = source.code(assigned.targets[0].target)
    reads = [node for node in source.all(cst.Name) if node.value == name]
    calls = [call for call in source.all(cst.Call) if source.code(call.func) == name and not call.args]
    return len(reads) == len(calls) + 1


def _renamed(change: ChangeSpec, _: Run, text: str) -> tuple[str, ...]:
    """An activation that is named from outside; a program may know the plain ReLU alone."""
    old, new = change.words
    known = _STANDS_FOR.get(old, (old,))
    if text.lower().replace("_", "") not in known:
        return ()
    names = dict.fromkeys((new, "relu") if old != "relu" else (new,))
    return tuple(_NEW[name][0] if text[0].isupper() else name for name in names)


def _label(change: ChangeSpec) -> str:
    return " -> ".join(change.words)


CHANGE = Change(
    name="activation.replace",
    label=_label,
    forms=("activation.replace relu leaky_relu", "activation.replace saturating leaky_relu"),
    says="replace the activations between layers; the output activation stays",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    option=Option(
        ("activation", "act", "act_fn", "hidden_act", "nonlinearity", "activation_fn", "act_layer"),
        becomes=_renamed,
    ),
    edited_file=(MODEL_PLACE, SCRIPT),
)
