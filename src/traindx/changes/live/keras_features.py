"""What is given to a Keras model, as rows of features."""

import keras
import torch
from torch import Tensor

from traindx.changes.live.keras_layers import declared_input, takers_of

_LOOKING_UP = (
    keras.layers.Embedding,
    keras.layers.CategoryEncoding,
    keras.layers.IntegerLookup,
    keras.layers.Hashing,
)
"""Layers for which a number is a name."""


def decimal(model: keras.Layer, place: int, values: Tensor) -> Tensor | None:
    """An input as decimal numbers; None where it is none, such as numbers of words."""
    if values.dim() < 2 or values.dtype is torch.bool:
        return None
    takers = takers_of(model, place)
    if any(isinstance(one, _LOOKING_UP) for taker in takers for one in taker._flatten_layers()):
        return None
    if values.is_floating_point():
        return values
    declared = declared_input(model, place)
    # Keras makes whole numbers decimal where the model is declared so: pictures come as bytes.
    is_made_decimal = declared is not None and keras.backend.is_float_dtype(declared.dtype)
    return values.float() if is_made_decimal else None


def feature_axis(values: Tensor) -> int:
    """Where features or channels are."""
    is_picture = values.dim() >= 4
    return 1 if is_picture and keras.config.image_data_format() == "channels_first" else values.dim() - 1
