"""Weights drawn anew."""

import math

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec
from traindx.errors import TraindxError

_DEFAULT = "default"
_KINDS = ("he", "xavier", "orthogonal", _DEFAULT)
_LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d)
_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm, nn.GroupNorm)


def begin(program: Program, change: ChangeSpec) -> None:
    """Draw the weights of every known kind of layer as is usual for it; the last one small."""
    kind = change.words[0].lower() if change.words else ""
    if kind not in _KINDS:
        raise TraindxError(
            f'"{change}": weights are drawn by {", ".join(_KINDS)}; for example: init.reset he'
        )

    def draw(model: nn.Module) -> None:
        # The randomness of the program goes on as in the control arm.
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(0)
            count = _draw_as_torch(model) if kind == _DEFAULT else _draw_model(model, kind)
        if count:
            program.applied(change, f"the weights of {count} layers are drawn anew ({kind})")

    program.on_model(draw)


def _draw_as_torch(model: nn.Module) -> int:
    """Every layer of torch's own draws its weights itself."""
    drawn = 0
    for one in model.modules():
        # Not by name alone: a layer of the program may draw badly, which is what is to be repaired.
        own = type(one).__module__.startswith("torch.nn.")
        draw = getattr(one, "reset_parameters", getattr(one, "_reset_parameters", None)) if own else None
        if draw is not None:
            draw()
            drawn += 1
    return drawn


def _draw_model(model: nn.Module, kind: str) -> int:
    layers = [one for one in model.modules() if isinstance(one, _LAYERS) and not is_lazy(one.weight)]
    for layer in layers:
        _draw_layer(layer, kind, last=layer is layers[-1])
    return len(layers) + sum(_draw_other(one) for one in model.modules())


def _draw_layer(layer: nn.Module, kind: str, *, last: bool) -> None:
    weight = layer.weight
    if kind == "orthogonal":
        nn.init.orthogonal_(weight)
    elif kind == "xavier" or last:
        nn.init.xavier_uniform_(weight)
    else:
        nn.init.kaiming_normal_(weight, nonlinearity="relu")
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)


def _draw_other(layer: nn.Module) -> bool:
    if isinstance(layer, _NORMS):
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


def _draw_recurrent(name: str, value: Tensor, width: int) -> None:
    """Each gate of its own: a recurrent weight that keeps lengths, an input weight of its usual spread."""
    if value.dim() < 2:
        nn.init.zeros_(value)
        return
    for gate in value.split(width, dim=0):
        if "hh" in name:
            nn.init.orthogonal_(gate)
        else:
            nn.init.xavier_uniform_(gate)


OPERATION = Operation(
    name="init.reset",
    forms=("init.reset he", "init.reset xavier", "init.reset orthogonal", "init.reset default"),
    says="draw all weights anew before the first step, as suits each kind of layer",
    begin=begin,
)
