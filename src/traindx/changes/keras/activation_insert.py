"""Activations where layers follow each other without one."""

import keras

from traindx.changes.live.keras_layers import bends, direct_followers
from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec

_KINDS = {
    "relu": keras.activations.relu,
    "gelu": keras.activations.gelu,
    "tanh": keras.activations.tanh,
}


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Give an activation to each layer that another one follows directly."""
    kind = change.words[0]
    activation = _KINDS[kind]

    def insert(model: keras.Layer) -> None:
        straight = {id(first): first for first, _ in direct_followers(model) if not bends(first)}
        if not straight:
            program.refuse(change, "no two layers with weights follow each other directly")
            return
        program.applied(change, f"{kind} stands between layers that followed each other directly")
        for layer in straight.values():
            layer.activation = activation

    program.on_model(insert)


OPERATION = KerasOperation(name="activation.insert", begin=begin)
