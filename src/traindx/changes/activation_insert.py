"""Activations where layers follow each other without one."""

from __future__ import annotations

from itertools import pairwise

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.functional import modules_of
from traindx.changes.live.keras_layers import bends, direct_followers
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.layers import (
    DROPOUTS,
    activation_of,
    bends_behind,
    hidden_layers,
    is_keras_model,
    kept_as,
    told_activation,
)
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    beside,
    calls_of,
    expression,
    imported,
    last_name,
    with_argument,
    with_value,
)
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError
from traindx.facts import MODEL_PLACE, SCRIPT
from traindx.run import Run

_MODULES = {"relu": "ReLU", "gelu": "GELU", "tanh": "Tanh"}
_LAYERS = frozenset("Linear Conv1d Conv2d Conv3d".split())
_STRAIGHT = "Dropout Dropout2d BatchNorm1d BatchNorm2d LayerNorm Identity Flatten".split()
_PASSED = frozenset("BatchNorm1d BatchNorm2d LayerNorm Identity Flatten".split()) | DROPOUTS.keys()


def _torch(program: Program, change: ChangeSpec) -> None:
    """Put an activation before each layer that is given what came straight out of another one."""
    kind = change.among(_MODULES)
    act, layers = getattr(nn.functional, kind), modules_of(_LAYERS)
    straight = torch.utils.weak.WeakIdKeyDictionary()
    """What came out of a layer, and out of nothing that bends since."""

    def entered(module: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        value = args[0] if args else None
        enters_layer = isinstance(module, layers) and isinstance(value, torch.Tensor)
        if not enters_layer or not _is_known(straight, value):
            return None
        program.applied(change, f"{kind} inserted between stacked layers")
        return (act(value), *args[1:])

    def passed(module: nn.Module, args: tuple[object, ...], output: object) -> None:
        value = args[0] if args else None
        through = _passes(module) and isinstance(value, torch.Tensor) and _is_known(straight, value)
        if isinstance(output, torch.Tensor) and (through or isinstance(module, layers)):
            straight[output] = True

    handle = nn.modules.module.register_module_forward_pre_hook(entered)
    program.patches.on_undo(handle.remove)
    program.after_modules(passed)


def _passes(module: nn.Module) -> bool:
    """Whether it bends nothing."""
    leaks_all = isinstance(module, nn.LeakyReLU) and module.negative_slope == 1
    return leaks_all or isinstance(module, modules_of(_STRAIGHT))


def _is_known(straight: torch.utils.weak.WeakIdKeyDictionary, value: torch.Tensor) -> bool:
    # x.flatten(1) and the like bend nothing.
    return value in straight or (value._base is not None and value._base in straight)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Give an activation to each layer that another one follows directly."""
    kind = change.among(_MODULES)
    activation = getattr(keras.activations, kind)

    def insert(model: keras.Layer) -> None:
        straight = {id(first): first for first, _ in direct_followers(model) if not bends(first)}
        if not straight:
            program.refuse(change, "no stacked layers without an activation")
            return
        program.applied(change, f"{kind} inserted between stacked layers")
        for layer in straight.values():
            layer.activation = activation

    program.on_model(insert)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Put an activation between layers of nn.Sequential, forward or Keras where nothing bends."""
    kind = change.among(_MODULES)
    parts = _of_keras(source, kind) if is_keras_model(source) else _of_torch(source, kind)
    if not parts:
        raise RefusedError(f"no stacked layers without an activation found in {source.shown}")
    first = next(iter(parts))
    return Edited(parts, f"{kind} inserted between layers, from {source.place(first)}")


def _of_keras(source: Source, kind: str) -> dict[cst.CSTNode, New]:
    parts: dict[cst.CSTNode, New] = {}
    for layer in hidden_layers(source):
        if activation_of(layer) != "linear" or bends_behind(source, layer):
            continue
        arg = told_activation(layer)
        if arg is None:
            parts[layer] = with_argument(layer, "activation", f'"{kind}"')
        else:
            parts[arg] = with_value(arg, f'"{kind}"')
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
    for index, arg in enumerate(call.args):
        args.append(arg)
        behind = [later for later in call.args[index + 1 :] if _made(later) not in _PASSED]
        if _made(arg) in _LAYERS and behind and _made(behind[0]) in _LAYERS:
            made = arg.value
            assert isinstance(made, cst.Call)
            module = f"{beside(source, made, _MODULES[kind])}()"
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
    made = kept_as(source, call.func)
    return bool(made) and all(
        isinstance(creation, cst.Call) and last_name(creation.func) in _LAYERS for creation in made
    )


def _of_lines(source: Source, kind: str) -> dict[cst.CSTNode, New]:
    """Layers that are called in one line each: x = self.fc1(x), then x = self.fc2(x)."""
    parts: dict[cst.CSTNode, New] = {}
    for function in source.all(cst.FunctionDef):
        if function.name.value != "forward" or not isinstance(function.body, cst.IndentedBlock):
            continue
        lines = [
            statement.body[0]
            for statement in function.body.body
            if isinstance(statement, cst.SimpleStatementLine)
        ]
        for line, following in pairwise(lines):
            if not isinstance(line, cst.Assign) or not isinstance(line.value, cst.Call):
                continue
            target = source.code(line.targets[0].target)
            inside = [call for call in source.all(cst.Call, following) if _is_layer(source, call)]
            straight = any(call.args and source.code(call.args[0].value) == target for call in inside)
            if _is_layer(source, line.value) and straight:
                parts[line.value] = cst.Call(_function(source, kind), [cst.Arg(line.value.with_changes())])
    return parts


CHANGE = Change(
    name="activation.insert",
    label="insert {} activation",
    forms=("activation.insert relu",),
    says="insert an activation between stacked layers",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(MODEL_PLACE, SCRIPT),
)
