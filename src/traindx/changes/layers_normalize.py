"""Normalisation before every hidden activation."""

from functools import partial

from torch import Tensor, nn
from torch.nn import functional

from traindx.changes.live.functional import Activation, Calls, Place
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

_FUNCTIONS = ("relu", "leaky_relu", "elu", "gelu", "silu", "selu", "softplus", "sigmoid", "tanh")
_CHANNELS_FIRST = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
_LAYERS = (nn.Linear, nn.LayerNorm, nn.RNNBase, *_CHANNELS_FIRST)
_NARROW = 4
"""Features below which a sample has no spread of its own."""


def begin(program: Program, change: ChangeSpec) -> None:
    """Bring what enters each hidden activation to mean 0 and deviation 1, sample by sample."""
    last: type[nn.Module] = nn.Linear

    def passed(module: nn.Module, _: object, __: object) -> None:
        nonlocal last
        if isinstance(module, _LAYERS):
            last = type(module)

    def replaced(place: Place, original: Activation) -> Activation | None:
        if place is Place.OUTPUT:
            return None
        return partial(_normalized, program, change, original, issubclass(last, _CHANNELS_FIRST))

    handle = nn.modules.module.register_module_forward_hook(passed)
    program.patches.on_undo(handle.remove)
    calls = Calls(program, replaced)
    for function in _FUNCTIONS:
        calls.watch(function)


def _normalized(
    program: Program, change: ChangeSpec, original: Activation, channels_first: bool, value: Tensor
) -> Tensor:
    # Pictures and signals over all of a sample, rows and sequences over the features of each.
    shape = value.shape[1:] if channels_first else value.shape[-1:]
    if not value.is_floating_point() or shape.numel() < _NARROW:
        return original(value)
    program.applied(change, "what enters the hidden activations is normalised")
    return original(functional.layer_norm(value, shape))


OPERATION = Operation(
    name="layers.normalize",
    forms=("layers.normalize",),
    says="bring what enters each hidden activation to mean 0 and deviation 1, sample by sample",
    begin=begin,
)
