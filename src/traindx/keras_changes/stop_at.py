"""An earlier end."""

from traindx.surgery.keras_operation import KerasOperation, as_for_torch

OPERATION = KerasOperation(name="stop.at", begin=as_for_torch)
