"""Weights drawn anew."""

from collections.abc import Iterator

import keras

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec

_DRAWN = ("kernel", "depthwise_kernel", "pointwise_kernel")
_ONES = ("gamma", "moving_variance")
_ZEROS = ("bias", "beta", "moving_mean")
_KINDS = {
    "he": keras.initializers.HeNormal,
    "xavier": keras.initializers.GlorotUniform,
    "orthogonal": keras.initializers.Orthogonal,
    # What Keras itself draws kernels by.
    "default": keras.initializers.GlorotUniform,
}


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Draw the weights of every known kind as is usual for it; the last one small."""
    kind = change.words[0].lower()

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
            program.applied(change, f"the weights of {len(drawn)} layers are drawn anew ({kind})")
        else:
            program.refuse(change, "no layer has weights of a known kind")

    program.on_model(draw)


def _weights(layer: keras.Layer) -> "Iterator[keras.Variable]":
    """All weights, those of the last layer last."""
    yield from [*layer._trainable_variables, *layer._non_trainable_variables]
    for one in layer._flatten_layers(include_self=False, recursive=False):
        yield from _weights(one)


def _initializer(kind: str, name: str, seed: int) -> "keras.initializers.Initializer | None":
    if name in _DRAWN:
        return _KINDS[kind](seed=seed)
    if name == "recurrent_kernel":
        return keras.initializers.Orthogonal(seed=seed)
    if name == "embeddings":
        return keras.initializers.RandomUniform(seed=seed)
    if name in _ONES:
        return keras.initializers.Ones()
    return keras.initializers.Zeros() if name in _ZEROS else None


OPERATION = KerasOperation(name="init.reset", begin=begin)
