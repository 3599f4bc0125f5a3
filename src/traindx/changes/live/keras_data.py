"""The data that Keras' `fit` is given."""

import keras
from keras.src.trainers.data_adapters.array_data_adapter import can_convert_arrays

from traindx.changes.live.keras_program import Settings


def rows_of(settings: Settings) -> int | None:
    """How many rows the arrays have of which `fit` makes batches; None where it is given batches."""
    arrays = (settings["x"], settings["y"], settings["sample_weight"])
    if not can_convert_arrays(arrays):
        return None
    return int(keras.tree.flatten(settings["x"])[0].shape[0])
