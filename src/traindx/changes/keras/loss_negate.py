"""A loss with the other sign."""

from traindx.changes.live.keras_operation import KerasOperation, as_for_torch

OPERATION = KerasOperation(name="loss.negate", begin=as_for_torch)
