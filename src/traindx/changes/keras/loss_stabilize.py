"""Logarithms, roots, exponentials and quotients that stay finite."""

from traindx.changes.live.keras_operation import KerasOperation, as_for_torch

OPERATION = KerasOperation(name="loss.stabilize", begin=as_for_torch)
