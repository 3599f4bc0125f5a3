"""Activations where layers follow each other without one."""

from itertools import pairwise

import libcst as cst

from traindx.changes.source import layers
from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.layers import activation_of, bends_behind, hidden_layers, is_keras_model
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, calls_of, expression, imported, last_name, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import MODEL_PLACE, SCRIPT
from traindx.run import Run

_MODULES = {"relu": "ReLU", "gelu": "GELU", "tanh": "Tanh"}
_LAYERS = frozenset("Linear Conv1d Conv2d Conv3d".split())
_PASSED = frozenset("BatchNorm1d BatchNorm2d LayerNorm Identity Flatten".split()) | layers.DROPOUTS.keys()


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Put an activation between layers of nn.Sequential, forward or Keras where nothing bends."""
    kind = change.words[0] if change.words else ""
    if kind not in _MODULES:
        raise RefusedError(f'"{change}": the kinds are {", ".join(_MODULES)}')
    parts = _of_keras(source, kind) if is_keras_model(source) else _of_torch(source, kind)
    if not parts:
        raise RefusedError(f"{source.shown} does not show layers that follow each other directly")
    first = next(iter(parts))
    return Edited(parts, f"{kind} between layers from {source.place(first)} on")


def _of_keras(source: Source, kind: str) -> dict[cst.CSTNode, New]:
    parts: dict[cst.CSTNode, New] = {}
    for layer in hidden_layers(source):
        if activation_of(layer) != "linear" or bends_behind(source, layer):
            continue
        given = argument(layer, ("activation",), 1 if last_name(layer.func) == "Dense" else None)
        if given is None:
            parts[layer] = with_argument(layer, "activation", f'"{kind}"')
        else:
            parts[given] = given.with_changes(value=expression(f'"{kind}"'))
    return parts


def _of_torch(source: Source, kind: str) -> dict[cst.CSTNode, New]:
    parts: dict[cst.CSTNode, New] = {}
    for call in calls_of(source, {"Sequential"}):
        args = _bent(source, call, kind)
        if len(args) > len(call.args):
            parts[call] = call.with_changes(args=args)
    for call in source.all(cst.Call):
        inner = call.args[0].value if _is_layer(source, call) and call.args else None
        if isinstance(inner, cst.Call) and _is_layer(source, inner):
            # A node of its own with the old ones inside, so that a layer inside of it is bent too.
            parts[inner] = cst.Call(_function(source, kind), [cst.Arg(inner.with_changes())])
    return parts | _of_lines(source, kind)


def _bent(source: Source, call: cst.Call, kind: str) -> list[cst.Arg]:
    """The arguments of nn.Sequential with an activation behind each layer that another follows."""
    args: list[cst.Arg] = []
    for place, arg in enumerate(call.args):
        args.append(arg)
        behind = [one for one in call.args[place + 1 :] if _made(one) not in _PASSED]
        if _made(arg) in _LAYERS and behind and _made(behind[0]) in _LAYERS:
            made = arg.value
            assert isinstance(made, cst.Call)
            base = source.code(made.func).rpartition(".")[0]
            module = (
                f"{base}.{_MODULES[kind]}()"
                if base
                else f"{imported(source, f'torch.nn.{_MODULES[kind]}')}()"
            )
            args.append(
                cst.Arg(expression(module), comma=arg.comma, whitespace_after_arg=arg.whitespace_after_arg)
            )
    return args


def _function(source: Source, kind: str) -> cst.BaseExpression:
    return expression(imported(source, f"torch.{kind}" if kind != "gelu" else "torch.nn.functional.gelu"))


def _made(arg: cst.Arg) -> str:
    return last_name(arg.value.func) if isinstance(arg.value, cst.Call) else ""


def _is_layer(source: Source, call: cst.Call) -> bool:
    """Whether a call applies a layer that a class keeps: self.fc1(x)."""
    around = source.class_around(call)
    code = source.code(call.func)
    if around is None or not code.startswith("self."):
        return False
    made = [one for one in source.all(cst.Assign, around) if source.code(one.targets[0].target) == code]
    return bool(made) and all(
        isinstance(one.value, cst.Call) and last_name(one.value.func) in _LAYERS for one in made
    )


def _of_lines(source: Source, kind: str) -> dict[cst.CSTNode, New]:
    """Layers that are called in one line each: x = self.fc1(x), then x = self.fc2(x)."""
    parts: dict[cst.CSTNode, New] = {}
    for function in source.all(cst.FunctionDef):
        if function.name.value != "forward" or not isinstance(function.body, cst.IndentedBlock):
            continue
        lines = [one.body[0] for one in function.body.body if isinstance(one, cst.SimpleStatementLine)]
        for one, following in pairwise(lines):
            if not isinstance(one, cst.Assign) or not isinstance(one.value, cst.Call):
                continue
            target = source.code(one.targets[0].target)
            inside = [call for call in source.all(cst.Call, following) if _is_layer(source, call)]
            straight = any(call.args and source.code(call.args[0].value) == target for call in inside)
            if _is_layer(source, one.value) and straight:
                parts[one.value] = cst.Call(_function(source, kind), [cst.Arg(one.value.with_changes())])
    return parts


EDIT = Edit(name="activation.insert", edit=edit, where=(MODEL_PLACE, SCRIPT))
