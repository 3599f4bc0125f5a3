"""Weights reinitialized."""

from __future__ import annotations

import math
from collections.abc import Iterator

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.functional import modules_of
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.layers import hidden_layers, is_keras_model, output_layer
from traindx.changes.source.model import model_name, prepared
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_of,
    imported,
    names_in,
    path_of,
    text_of,
    with_argument,
    with_value,
    without_arguments,
)
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError
from traindx.facts import MODEL_PLACE, OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_DEFAULT = "default"
_KINDS = ("he", "xavier", "orthogonal", _DEFAULT)
_PEOPLE = {"he": "He", "xavier": "Xavier"}
"""After whom a kind is named."""
_DRAWN = ("kernel", "depthwise_kernel", "pointwise_kernel")
_ONES, _ZEROS = ("gamma", "moving_variance"), ("bias", "beta", "moving_mean")
_STATEMENTS = {
    "he": '{init}.kaiming_normal_({weight}, nonlinearity="relu")',
    "xavier": "{init}.xavier_uniform_({weight})",
    "orthogonal": "{init}.orthogonal_({weight})",
}
_INITIALIZERS = {
    "he": "HeNormal",
    "xavier": "GlorotUniform",
    "orthogonal": "Orthogonal",
    _DEFAULT: "GlorotUniform",
}
"""Of Keras; by default it draws kernels as xavier does."""
_OF_KERAS = {"he": "he_normal", "xavier": "glorot_uniform", "orthogonal": "orthogonal"}
_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "GroupNorm")
_BLOCKS = ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer")
_LAYERS = ("Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d")
_NAMES = ("layers", "weighted_layers", "drawn_layers")
"""What layers may be called, and each of them without its s."""
_OTHERS = ("LSTM", "GRU", "RNN", "Embedding")


def _torch(program: Program, change: ChangeSpec) -> None:
    """Draw the weights of every known kind of layer as is usual for it; the last one small."""
    kind = change.among(_KINDS)

    def draw(model: nn.Module) -> None:
        # The randomness of the program goes on as in the control arm.
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(0)
            count = _draw_as_torch(model) if kind == _DEFAULT else _draw_model(model, kind)
        if count:
            program.applied(change, f"weights of {count} layers reinitialized ({kind})")

    program.on_model(draw)


def _draw_as_torch(model: nn.Module) -> int:
    """Every layer of torch's own draws its weights itself."""
    drawn = 0
    for module in model.modules():
        # Not by name alone: a layer of the program may draw badly, which is what is to be repaired.
        own = type(module).__module__.startswith("torch.nn.")
        draw = (
            getattr(module, "reset_parameters", getattr(module, "_reset_parameters", None)) if own else None
        )
        if draw is not None:
            draw()
            drawn += 1
    return drawn


def _draw_model(model: nn.Module, kind: str) -> int:
    layers = [
        module
        for module in model.modules()
        if isinstance(module, modules_of(_LAYERS)) and not nn.parameter.is_lazy(module.weight)
    ]
    for layer in layers:
        _draw_layer(layer, kind, last=layer is layers[-1])
    return len(layers) + sum(_draw_other(module) for module in model.modules())


def _draw_layer(layer: nn.Module, kind: str, *, last: bool) -> None:
    if kind == "orthogonal":
        nn.init.orthogonal_(layer.weight)
    elif kind == "xavier" or last:
        nn.init.xavier_uniform_(layer.weight)
    else:
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)


def _draw_other(layer: nn.Module) -> bool:
    if isinstance(layer, modules_of(_NORMS)):
        if layer.weight is not None:
            nn.init.ones_(layer.weight)
        if getattr(layer, "bias", None) is not None:
            nn.init.zeros_(layer.bias)
    elif isinstance(layer, nn.Embedding):
        nn.init.normal_(layer.weight, std=min(1.0, 1 / math.sqrt(layer.embedding_dim)))
    elif isinstance(layer, nn.MultiheadAttention):
        # The weights of queries, keys and values are no layers of their own.
        layer._reset_parameters()
    elif isinstance(layer, nn.RNNBase):
        for name, value in layer.named_parameters():
            _draw_recurrent(name, value, layer.hidden_size)
    else:
        return False
    return True


def _draw_recurrent(name: str, value: torch.Tensor, width: int) -> None:
    """Each gate of its own: a recurrent weight that keeps lengths, an input weight of its usual spread."""
    if value.dim() < 2:
        nn.init.zeros_(value)
        return
    for gate in value.split(width, dim=0):
        if "hh" in name:
            nn.init.orthogonal_(gate)
        else:
            nn.init.xavier_uniform_(gate)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Draw the weights of every known kind as is usual for it; the last one small."""
    kind = change.among(_KINDS)

    def draw(model: keras.Layer) -> None:
        weights = list(_weights(model))
        drawn = [weight for weight in weights if weight.name in _DRAWN]
        # A seed for each: the randomness of the program goes on as in the control arm.
        for seed, weight in enumerate(weights):
            is_last = bool(drawn) and weight is drawn[-1]
            initializer = _initializer("xavier" if is_last and kind == "he" else kind, weight.name, seed)
            if initializer is not None:
                weight.assign(initializer(weight.shape, weight.dtype))
        if drawn:
            program.applied(change, f"weights of {len(drawn)} layers reinitialized ({kind})")
        else:
            program.refuse(change, "no layer with a known kind of weights")

    program.on_model(draw)


def _weights(layer: keras.Layer) -> Iterator[keras.Variable]:
    """All weights, those of the last layer last."""
    yield from [*layer._trainable_variables, *layer._non_trainable_variables]
    for sublayer in layer._flatten_layers(include_self=False, recursive=False):
        yield from _weights(sublayer)


def _initializer(kind: str, name: str, seed: int) -> keras.initializers.Initializer | None:
    if name in _DRAWN:
        return getattr(keras.initializers, _INITIALIZERS[kind])(seed=seed)
    if name == "recurrent_kernel":
        return keras.initializers.Orthogonal(seed=seed)
    if name == "embeddings":
        return keras.initializers.RandomUniform(seed=seed)
    if name in _ONES:
        return keras.initializers.Ones()
    return keras.initializers.Zeros() if name in _ZEROS else None


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Draw the weights of layers right before the optimizer is made, whatever was drawn before."""
    kind = change.among(_KINDS)
    if is_keras_model(source):
        return _of_keras(source, kind)
    if kind == _DEFAULT:
        return _as_torch(source, run)
    held = {layer.kind for layer in run.model}
    others = [name for name in _OTHERS if name in held or _makes(source, name)]
    if others:
        raise RefusedError(f"{source.shown} has {' and '.join(others)}, which needs another initialization")
    kinds = [layer for layer in _LAYERS if layer in held or _makes(source, layer)]
    if not kinds:
        raise RefusedError(f"no layers to initialize found in {source.shown}")
    names = [imported(source, f"torch.nn.{word}") for word in kinds]
    free = [name for name in _NAMES if not _is_taken(source, name)]
    if not free:
        raise RefusedError(f"the names {' and '.join(_NAMES)} are already used in {source.shown}")
    initialize = imported(source, "torch.nn.init")
    parts, location = prepared(source, run, lambda model: _written(model, kind, names, initialize, free[0]))
    return Edited(parts, f"weights of {model_name(source, run)} reinitialized ({kind}) at {location}")


def _as_torch(source: Source, run: Run) -> Edited:
    """Every layer of torch's own draws its weights itself."""
    blocks = [block for block in _BLOCKS if _makes(source, block)]
    kinds = [layer for layer in (*_LAYERS, *_OTHERS, *_NORMS) if _makes(source, layer)]
    free = [name[:-1] for name in _NAMES if not _is_taken(source, name)]
    if blocks or not kinds or not free:
        held = f"{' and '.join(blocks)} without reset_parameters" if blocks else "no layers to initialize"
        raise RefusedError(f"{held} in {source.shown}")
    names = [imported(source, f"torch.nn.{kind}") for kind in kinds]
    known = names[0] if len(names) == 1 else f"({', '.join(names)})"
    each = free[0]
    body = f"    if isinstance({each}, {known}):\n        {each}.reset_parameters()\n"
    parts, location = prepared(source, run, lambda model: [f"for {each} in {model}.modules():\n{body}"])
    return Edited(parts, f"weights of {model_name(source, run)} reset to torch defaults at {location}")


def _makes(source: Source, layer: str) -> bool:
    """Whether a source makes a layer of torch, also one that learns the size of its input first."""
    names = {layer, f"Lazy{layer}"}
    return any(path_of(source, call.func).startswith("torch.nn.") for call in calls_of(source, names))


def _is_taken(source: Source, name: str) -> bool:
    """Whether a name, or what one of its things would be called, is read somewhere."""
    return not {name, name[:-1]}.isdisjoint(names_in(source))


def _written(model: str, kind: str, names: list[str], initialize: str, every: str) -> list[str]:
    each = every[:-1]
    known = names[0] if len(names) == 1 else f"({', '.join(names)})"
    drawn = _STATEMENTS[kind].format(init=initialize, weight=f"{each}.weight")
    body = [drawn, f"if {each}.bias is not None:", f"    {initialize}.zeros_({each}.bias)"]
    selection = f"{every} = [module for module in {model}.modules() if isinstance(module, {known})]"
    loop = f"for {each} in {every}:\n" + "".join(f"    {line}\n" for line in body)
    # The output begins small, as in a trial.
    last = _STATEMENTS["xavier"].format(init=initialize, weight=f"{every}[-1].weight")
    return [selection, loop, last] if kind == "he" else [selection, loop]


def _of_keras(source: Source, kind: str) -> Edited:
    parts: dict[cst.CSTNode, New] = {}
    for layer in hidden_layers(source) if kind != _DEFAULT else ():
        arg = argument(layer, ("kernel_initializer",))
        if arg is None:
            parts[layer] = with_argument(layer, "kernel_initializer", f'"{_OF_KERAS[kind]}"')
        elif text_of(arg.value) != _OF_KERAS[kind]:
            parts[arg] = with_value(arg, f'"{_OF_KERAS[kind]}"')
    last = output_layer(source)
    arg = argument(last, ("kernel_initializer",)) if last is not None else None
    if kind == _DEFAULT:
        calls = [call for call in source.all(cst.Call) if argument(call, ("kernel_initializer",)) is not None]
        parts = {call: without_arguments(call, ("kernel_initializer",)) for call in calls}
    elif arg is not None:
        parts[arg] = with_value(arg, '"glorot_uniform"')
    if not parts:
        raise RefusedError(f"{source.shown} already uses this initialization")
    location = source.place(next(iter(parts)))
    return Edited(parts, f"kernel_initializer of {len(parts)} layers, from {location}")


def _label(change: ChangeSpec) -> str:
    return f"{_PEOPLE.get(change.dose, change.dose)} initialization"


CHANGE = Change(
    name="init.reset",
    label=_label,
    forms=("init.reset he", "init.reset xavier", "init.reset orthogonal", "init.reset default"),
    says="reinitialize all weights before the first step, by layer type",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(OPTIMIZER_PLACE, MODEL_PLACE, SCRIPT),
)
