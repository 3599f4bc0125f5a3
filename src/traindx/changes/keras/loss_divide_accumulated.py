"""Accumulated gradients as a mean."""

from traindx.changes.live.keras_operation import KerasOperation, refusing

OPERATION = KerasOperation(
    name="loss.divide_accumulated",
    begin=refusing("Keras takes the mean of the gradients that it accumulates"),
)
