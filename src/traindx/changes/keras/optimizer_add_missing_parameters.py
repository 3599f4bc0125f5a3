"""Weights that no optimizer holds."""

from traindx.changes.live.keras_operation import KerasOperation, refusing

OPERATION = KerasOperation(
    name="optimizer.add_missing_parameters",
    begin=refusing("Keras gives all weights of the model that are to learn to the optimizer"),
)
