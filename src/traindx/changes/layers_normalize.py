"""Normalization before every hidden activation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from traindx.changes import cst, nn, torch
from traindx.changes.live.functional import Activation, Calls, Place, modules_of
from traindx.changes.live.program import Program
from traindx.changes.source.layers import ACTIVATIONS, is_hidden_call, is_hidden_module, kept_as, kind_of
from traindx.changes.source.source import Source, after
from traindx.changes.source.syntax import argument, beside, expression, last_name
from traindx.changes.types import TORCH_LAYERS_ONLY, Change, ChangeSpec, Edited, New, RefusedError
from traindx.facts import MODEL_PLACE, SCRIPT
from traindx.run import Run

_FUNCTIONS = ("relu", "leaky_relu", "elu", "gelu", "silu", "selu", "softplus", "sigmoid", "tanh")
_NARROW = 4
"""Features below which a sample has no spread of its own."""
_ACTIVATIONS = frozenset({*ACTIVATIONS, "GELU", "ELU", "SiLU", "SELU"}) - {"Softmax"}
_CHANNELS_FIRST = "Conv1d Conv2d Conv3d BatchNorm1d BatchNorm2d BatchNorm3d".split()
_OTHERS = ("Linear", "LayerNorm", "RNNBase")
_CONVOLVING = frozenset({"Conv1d", "Conv2d", "Conv3d"})


def _torch(program: Program, change: ChangeSpec) -> None:
    """Bring what enters each hidden activation to mean 0 and deviation 1, sample by sample."""
    last: type[nn.Module] = nn.Linear

    def passed(module: nn.Module, _: object, __: object) -> None:
        nonlocal last
        if isinstance(module, modules_of((*_CHANNELS_FIRST, *_OTHERS))):
            last = type(module)

    def replaced(location: Place, original: Activation) -> Activation | None:
        if location is Place.OUTPUT:
            return None
        return partial(_normalized, program, change, original, issubclass(last, modules_of(_CHANNELS_FIRST)))

    program.after_modules(passed)
    calls = Calls(program, replaced)
    for function in _FUNCTIONS:
        calls.watch(function)


def _normalized(
    program: Program, change: ChangeSpec, original: Activation, channels_first: bool, value: torch.Tensor
) -> torch.Tensor:
    # Pictures and signals over all of a sample, rows and sequences over the features of each.
    shape = value.shape[1:] if channels_first else value.shape[-1:]
    if not value.is_floating_point() or shape.numel() < _NARROW:
        return original(value)
    program.applied(change, "inputs of hidden activations normalized")
    return original(nn.functional.layer_norm(value, shape))


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Normalize what layers give to hidden activations: in sequences, in lists, and in forward."""
    parts: dict[cst.CSTNode, New] = {}
    for call in source.all(cst.Call):
        if last_name(call.func) == "Sequential":
            args = _with_norms(source, call.args)
            if len(args) > len(call.args):
                parts[call] = call.with_changes(args=args)
    for literal in source.all(cst.List):
        elements = _with_norms(source, literal.elements)
        if len(elements) > len(literal.elements):
            parts[literal] = literal.with_changes(elements=elements)
    parts |= _of_forward(source, run)
    if not parts:
        raise RefusedError(f"no layer followed by its hidden activation found in {source.shown}")
    return Edited(parts, f"normalization before hidden activations, from {source.place(next(iter(parts)))}")


def _with_norms(source: Source, things: Sequence[cst.Arg | cst.BaseElement]) -> list[cst.CSTNode]:
    """Arguments or elements with a normalization between each layer and its activation."""
    nodes: list[cst.CSTNode] = []
    for index, thing in enumerate(things):
        nodes.append(thing)
        behind = next((following.value for following in things[index + 1 : index + 2]), None)
        norm = _norm(source, thing.value)
        if norm and isinstance(behind, cst.Call) and _bends(source, behind):
            # Beside its layer: what is written behind the line stays there.
            between = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            nodes[-1] = thing.with_changes(comma=between)
            nodes.append(thing.with_changes(value=expression(norm)))
    return nodes


def _bends(source: Source, call: cst.Call) -> bool:
    """Whether a call makes an activation that a layer follows, by its class or by a name for it."""
    names = {last_name(call.func)}
    if isinstance(call.func, cst.Name):
        same = [
            assignment
            for assignment in source.all(cst.Assign)
            if source.code(assignment.targets[0].target) == call.func.value
        ]
        names |= {last_name(assignment.value) for assignment in same}
    return bool(names & _ACTIVATIONS) and is_hidden_module(source, call)


def _norm(source: Source, made: cst.BaseExpression) -> str:
    """The normalization of what a layer gives; empty where it is no layer whose width is written."""
    name = last_name(made.func) if isinstance(made, cst.Call) else ""
    if not isinstance(made, cst.Call) or (name != "Linear" and name not in _CONVOLVING):
        return ""
    width = argument(made, ("out_features", "out_channels"), 1)
    if width is None:
        return ""
    spelled = beside(source, made, "LayerNorm" if name == "Linear" else "GroupNorm")
    # One group is all of a sample, as a layer norm over its channels and places.
    dimensions = "" if name == "Linear" else "1, "
    return f"{spelled}({dimensions}{source.code(width.value)})"


def _of_forward(source: Source, run: Run) -> dict[cst.CSTNode, New]:
    """F.relu(self.fc1(x)): a norm is kept beside self.fc1 and called around it."""
    parts: dict[cst.CSTNode, New] = {}
    for call in source.all(cst.Call):
        inner = call.args[0].value if call.args else None
        if (
            not kind_of(source, call)
            or not isinstance(inner, cst.Call)
            or not is_hidden_call(source, run, call)
        ):
            continue
        kept, made = source.code(inner.func), kept_as(source, inner.func)
        norm = _norm(source, made[0]) if len(made) == 1 else ""
        if not norm:
            continue
        parts |= after(source, made[0], f"{kept}_norm = {norm}")
        parts[inner] = cst.Call(expression(f"{kept}_norm"), [cst.Arg(inner.with_changes())])
    return parts


CHANGE = Change(
    name="layers.normalize",
    label="normalize hidden layers",
    says="normalize the input of each hidden activation to mean 0 and std 1, per sample",
    torch=_torch,
    keras=TORCH_LAYERS_ONLY,
    edit=_edit,
    edited_file=(MODEL_PLACE, SCRIPT),
)
