"""Weights drawn anew."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.layers import hidden_layers, is_keras_model, output_layer
from traindx.changes.source.model import model_name, prepared
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, expression, imported, with_argument, without_arguments
from traindx.changes.types import ChangeSpec
from traindx.facts import MODEL_PLACE, OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_DRAWN = {
    "he": '{init}.kaiming_normal_({weight}, nonlinearity="relu")',
    "xavier": "{init}.xavier_uniform_({weight})",
    "orthogonal": "{init}.orthogonal_({weight})",
}
_OF_KERAS = {"he": "he_normal", "xavier": "glorot_uniform", "orthogonal": "orthogonal"}
_DEFAULT = "default"
_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "GroupNorm")
_BLOCKS = ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer")
_LAYERS = ("Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d")
_NAMES = ("layers", "weighted_layers", "drawn_layers")
"""What layers may be called, and each of them without its s."""
_OTHERS = ("LSTM", "GRU", "RNN", "Embedding")


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Draw the weights of layers right before the optimizer is made, whatever was drawn before."""
    kind = change.words[0].lower() if change.words else ""
    if kind not in (*_DRAWN, _DEFAULT):
        raise RefusedError(f'"{change}": weights are drawn by {", ".join((*_DRAWN, _DEFAULT))}')
    if is_keras_model(source):
        return _of_keras(source, kind)
    if kind == _DEFAULT:
        return _as_torch(source, run)
    others = [one for one in _OTHERS if f".{one}(" in source.text]
    if others:
        raise RefusedError(f"{source.shown} holds {' and '.join(others)}, whose weights are drawn otherwise")
    kinds = [one for one in _LAYERS if f"{one}(" in source.text]
    if not kinds:
        raise RefusedError(f"{source.shown} makes no layers whose weights could be drawn")
    names = [imported(source, f"torch.nn.{one}") for one in kinds]
    free = [one for one in _NAMES if not _is_taken(source, one)]
    if not free:
        raise RefusedError(f"{source.shown} uses the names {' and '.join(_NAMES)} for something else")
    initialise = imported(source, "torch.nn.init")
    parts, place = prepared(source, run, lambda model: _written(model, kind, names, initialise, free[0]))
    return Edited(parts, f"weights of {model_name(source, run)} drawn anew ({kind}) at {place}")


def _as_torch(source: Source, run: Run) -> Edited:
    """Every layer of torch's own draws its weights itself."""
    blocks = [one for one in _BLOCKS if f"{one}(" in source.text]
    kinds = [one for one in (*_LAYERS, *_OTHERS, *_NORMS) if f".{one}(" in source.text]
    free = [one[:-1] for one in _NAMES if not _is_taken(source, one)]
    if blocks or not kinds or not free:
        held = f"holds {' and '.join(blocks)}" if blocks else "makes no layers"
        raise RefusedError(f"{source.shown} {held} that could draw their weights themselves")
    names = [imported(source, f"torch.nn.{one}") for one in kinds]
    known = names[0] if len(names) == 1 else f"({', '.join(names)})"
    each = free[0]
    body = f"    if isinstance({each}, {known}):\n        {each}.reset_parameters()\n"
    parts, place = prepared(source, run, lambda model: [f"for {each} in {model}.modules():\n{body}"])
    return Edited(parts, f"weights of {model_name(source, run)} drawn anew as torch does at {place}")


def _is_taken(source: Source, name: str) -> bool:
    """Whether a name, or what one of its things would be called, is read somewhere."""
    return any(one.value in (name, name[:-1]) for one in source.all(cst.Name))


def _written(model: str, kind: str, names: list[str], initialise: str, every: str) -> list[str]:
    each = every[:-1]
    known = names[0] if len(names) == 1 else f"({', '.join(names)})"
    drawn = _DRAWN[kind].format(init=initialise, weight=f"{each}.weight")
    body = [drawn, f"if {each}.bias is not None:", f"    {initialise}.zeros_({each}.bias)"]
    lines = "\n".join(f"    {one}" for one in body)
    found = f"{every} = [one for one in {model}.modules() if isinstance(one, {known})]"
    loop = f"for {each} in {every}:\n{lines}\n"
    # The output begins small, as in a trial.
    last = _DRAWN["xavier"].format(init=initialise, weight=f"{every}[-1].weight")
    return [found, loop, last] if kind == "he" else [found, loop]


def _of_keras(source: Source, kind: str) -> Edited:
    parts: dict[cst.CSTNode, New] = {}
    every = hidden_layers(source) if kind != _DEFAULT else []
    for layer in every:
        name = f'"{_OF_KERAS[kind]}"'
        given = argument(layer, ("kernel_initializer",))
        if given is None:
            parts[layer] = with_argument(layer, "kernel_initializer", name)
        elif source.code(given.value).replace("'", '"') != name:
            parts[given] = given.with_changes(value=expression(name))
    last = output_layer(source)
    given = argument(last, ("kernel_initializer",)) if last is not None else None
    if kind == _DEFAULT:
        told = [one for one in source.all(cst.Call) if argument(one, ("kernel_initializer",)) is not None]
        parts = {one: without_arguments(one, ("kernel_initializer",)) for one in told}
    elif given is not None:
        parts[given] = given.with_changes(value=expression('"glorot_uniform"'))
    if not parts:
        raise RefusedError(f"{source.shown} draws the weights of its layers so already")
    first = next(iter(parts))
    return Edited(parts, f"kernel_initializer of {len(parts)} layers from {source.place(first)} on")


EDIT = Edit(name="init.reset", edit=edit, where=(OPTIMIZER_PLACE, MODEL_PLACE, SCRIPT))
