"""Other activations between the layers."""

from collections.abc import Callable

import keras
from torch import Tensor, nn

from traindx.changes.live.keras_layers import WEIGHING, hidden_layers
from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec

_SIGMOIDS = (keras.activations.sigmoid, keras.activations.hard_sigmoid)
_TANHS = (keras.activations.tanh, keras.activations.hard_tanh)
_OLD = {
    "relu": (keras.activations.relu, keras.activations.relu6),
    "sigmoid": _SIGMOIDS,
    "tanh": _TANHS,
    "saturating": (*_SIGMOIDS, *_TANHS, keras.activations.softsign),
}
_NEW: dict[str, Callable[[Tensor], Tensor]] = {
    "leaky_relu": keras.activations.leaky_relu,
    "relu": keras.activations.relu,
    "gelu": keras.activations.gelu,
    "elu": keras.activations.elu,
    "silu": keras.activations.silu,
    "tanh": keras.activations.tanh,
}


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Exchange activations of layers that another layer with weights follows."""
    old, new = change.words
    before, after = _OLD[old], _NEW[new]

    def bent(_: nn.Module, args: tuple[object, ...], __: object) -> object:
        return after(args[0])

    def exchange(model: keras.Layer) -> None:
        hidden = hidden_layers(model)
        told = [one for one in hidden if isinstance(one, (*WEIGHING, keras.layers.Activation))]
        named = [one for one in told if one.activation in before]
        alone = [one for one in hidden if isinstance(one, keras.layers.ReLU) and old == "relu"]
        for one in named:
            one.activation = after
        for one in alone:
            one.register_forward_hook(bent)
        if named or alone:
            program.applied(change, f"the activation {old} of {len(named) + len(alone)} layers becomes {new}")
        else:
            program.refuse(change, f"no hidden layer has the activation {old}")

    program.on_model(exchange)


OPERATION = KerasOperation(name="activation.replace", begin=begin)
