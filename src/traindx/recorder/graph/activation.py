"""Which activation a prediction came out of."""

import torch
from torch import Tensor

from traindx.recorder.graph.kinds import hides_constant
from traindx.recorder.graph.nodes import VIEWS, operation_of

ACTIVATIONS = frozenset(
    "softmax log_softmax sigmoid log_sigmoid tanh relu leaky_relu prelu elu gelu silu mish softplus hardtanh "
    "hardsigmoid hardswish".split()
)

TRANSPARENT = VIEWS | frozenset("clamp clamp_min clamp_max index index_select gather cat dropout".split())
"""Operations after which the values are still an activation's output."""

MAX_STEPS = 64
"""A prediction that is further from its activation than this is not taken for its output."""


def activation_before(prediction: Tensor) -> str:
    """The activation whose output the prediction is, as torch spells it; "" if there is none or no graph.

    The logarithm of a softmax, also of one with a small constant added, counts as log_softmax.
    """
    with torch._C.DisableTorchFunction():
        node = prediction.grad_fn
    logarithm = False
    for _ in range(MAX_STEPS):
        if node is None:
            return ""
        operation = operation_of(node)
        if operation in ACTIVATIONS:
            return _named(operation, logarithm=logarithm)
        if operation == "log" and not logarithm:
            logarithm = True
        elif operation not in TRANSPARENT and not (logarithm and hides_constant(node)):
            return ""
        operands = node.next_functions
        node = operands[0][0] if operands else None
    return ""


def _named(operation: str, *, logarithm: bool) -> str:
    if not logarithm:
        return operation
    return {"softmax": "log_softmax", "sigmoid": "log_sigmoid"}.get(operation, "")
