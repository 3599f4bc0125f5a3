"""The end of a graph: which activation a prediction came out of, and what the loss was divided by."""

import math

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import UNREADABLE, VIEWS, operation_of, saved_value, seen_through
from traindx.recorder.graph.operations import hides_constant
from traindx.recorder.graph.recompute import integer

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
        if operation == "sum" and not logarithm and _multiplies_directions(node):
            return "cosine_similarity"
        if operation == "log" and not logarithm:
            logarithm = True
        elif operation not in TRANSPARENT and not (logarithm and hides_constant(node)):
            return ""
        operands = node.next_functions
        node = operands[0][0] if operands else None
    return ""


def _multiplies_directions(node: Node) -> bool:
    """Whether what is summed is a product of two vectors that were divided by their norms."""
    product = node.next_functions[0][0]
    if product is None or operation_of(product) != "mul":
        return False
    return all(parent is not None and _is_direction(parent) for parent, _ in product.next_functions)


def _is_direction(node: Node) -> bool:
    if operation_of(node) != "div" or len(node.next_functions) < 2:
        return False
    divisor = seen_through(node.next_functions[1][0], VIEWS | {"clamp_min"})
    return divisor is not None and operation_of(divisor) == "norm"


def _named(operation: str, *, logarithm: bool) -> str:
    if not logarithm:
        return operation
    return {"softmax": "log_softmax", "sigmoid": "log_sigmoid"}.get(operation, "")


_MOST_FACTORS = 16
"""A loss is divided by its last operations, or not at all."""

SUM = 2
"""The number torch keeps for a loss that is summed rather than averaged."""


def divisor_of(loss: Tensor) -> float | None:
    """What the loss was divided by, of all divisions by constants that came last; None if it was not.

    A factor below 1 is a division. A sum over its count is an average and counts as no division. The loss
    must not be scaled for half precision. Reading a divisor that lives on a device waits for the device.
    """
    with torch._C.DisableTorchFunction():
        node = loss.grad_fn
    divisor = 1.0
    for _ in range(_MOST_FACTORS):
        if node is None or not node.next_functions:
            break
        operation = operation_of(node)
        if operation in ("div", "mul"):
            by = _constant(node) if operation == "div" else _inverse(_constant(node))
            if by is None or (operation == "div" and _is_summed(node.next_functions[0][0])):
                break
            divisor *= by
        elif not _is_transparent(node, operation):
            break
        node = next(operand for operand, _ in node.next_functions if operand is not None)
    return None if divisor == 1.0 else divisor


def _constant(node: Node) -> float | None:
    """The one number from outside the graph that the node multiplied with or divided by."""
    kept = saved_value(node, "other")
    if node.next_functions[0][0] is None:
        # The constant stands first: 0.25 * loss, or a quotient whose divisor is the loss.
        kept = saved_value(node, "self") if operation_of(node) == "mul" else None
    elif len(node.next_functions) > 1 and node.next_functions[1][0] is not None:
        return None
    if isinstance(kept, Tensor):
        kept = kept.item() if kept.numel() == 1 and not kept.is_complex() else None
    if not isinstance(kept, int | float) or not math.isfinite(kept) or kept <= 0:
        return None
    return float(kept)


def _inverse(factor: float | None) -> float | None:
    return 1 / factor if factor is not None and factor < 1 else None


def _is_transparent(node: Node, operation: str) -> bool:
    # A constant added, such as an offset, leaves the gradient as it is.
    only_operand = sum(operand is not None for operand, _ in node.next_functions) == 1
    return only_operand and (operation in VIEWS or operation in ("neg", "add", "sub"))


def _is_summed(node: Node | None) -> bool:
    reduced = seen_through(node, VIEWS | {"neg"})
    if reduced is None:
        return False
    try:
        return operation_of(reduced) == "sum" or integer(reduced, "reduction") == SUM
    except UNREADABLE:
        return False
