"""A sigmoid in the place of a softmax over one unit."""

from traindx.changes.live.keras_operation import KerasOperation, as_for_torch

OPERATION = KerasOperation(name="output.sigmoid", begin=as_for_torch)
