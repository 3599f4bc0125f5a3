"""An earlier end."""

from traindx.changes.live.keras_operation import KerasOperation, as_for_torch

OPERATION = KerasOperation(name="stop.at", begin=as_for_torch)
