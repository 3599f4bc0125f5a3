"""Which operations can make a value that is not finite out of finite ones, and how readily."""

from enum import IntEnum

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import VIEWS, is_custom, operation_of
from traindx.recorder.graph.saved import saved_value


class Readiness(IntEnum):
    """How readily an operation turns finite values into NaN or infinity."""

    NEVER = 0
    RARELY = 1
    """Only by the overflow of a sum, or by a constant that the graph does not show."""
    WHEN_MASKED = 2
    """Where every value of a row is minus infinity."""
    BY_SIZE = 3
    """Where large values are multiplied and summed."""
    UNKNOWN = 4
    """Code of the user's own."""
    AT_POLES = 5
    """At single points, such as the logarithm of 0, or beyond a bound, such as exp."""


MASKABLE = frozenset("softmax log_softmax logsumexp".split())

KEEP_FINITE = (
    VIEWS
    | MASKABLE
    | frozenset(
        "relu leaky_relu prelu gelu silu sigmoid tanh softplus elu mish hardtanh hardsigmoid log_sigmoid erf "
        "sin cos atan cat stack max_pool2d max_pool3d avg_pool2d avg_pool3d "
        "adaptive_avg_pool2d adaptive_max_pool2d neg abs index index_select gather embedding clamp clamp_min "
        "clamp_max sort topk max min amax amin maximum minimum roll flip constant_pad_nd reflection_pad2d "
        "repeat dropout masked_select tril triu copy nan_to_num sign floor round".split()
    )
)
"""Operations whose result is finite wherever what enters is."""

NORMALISATIONS = frozenset(("batch_norm", "layer_norm", "group_norm", "rms_norm"))
"""Operations that keep the mean and scale they normalised with as results."""

POLES = frozenset(
    "log log2 log10 log1p div pow sqrt rsqrt reciprocal exp exp2 expm1 acos asin acosh atanh tan sinh cosh "
    "lgamma digamma logit erfinv xlogy std var std_mean var_mean norm cdist inv det linalg_slogdet "
    "linalg_cholesky_ex linalg_eigh linalg_svd cumprod prod".split()
)

PRODUCTS = (
    frozenset(
        "mm bmm addmm baddbmm mv dot conv lstm rnn scaled_dot_product_attention "
        "binary_cross_entropy binary_cross_entropy_with_logits kl_div".split()
    )
    | NORMALISATIONS
)

FILTERS = frozenset(
    "where masked_fill clamp clamp_min clamp_max nan_to_num nansum select slice index maximum minimum".split()
)
"""Operations that can leave out the values that are not finite."""

HIDING = frozenset("add sub baddbmm where masked_fill lerp setitem index_put".split())
"""Operations that need not keep the constants they use."""


def is_loss(operation: str) -> bool:
    """Whether the operation is a loss function of torch."""
    return operation.endswith("_loss") or operation.startswith(("binary_cross_entropy", "kl_div"))


def hides_constant(node: Node) -> bool:
    """Whether the node uses a value from outside the graph without keeping it, such as a mask or a target."""
    operation = operation_of(node)
    if operation not in HIDING:
        return False
    operands = [operand for operand, _ in node.next_functions]
    if operation == "baddbmm":
        return operands[0] is None
    return operation == "masked_fill" or len(operands) < 2 or None in operands


def keeps_finite(node: Node) -> bool:
    """Whether finite values give a finite result at this node."""
    operation = operation_of(node)
    if is_custom(node):
        return False
    if operation in NORMALISATIONS:
        # What they divide by is kept; where it can be read, it has been looked at.
        return saved_value(node, "input") is not None
    return operation in KEEP_FINITE and not _narrows(node)


def readiness(node: Node) -> Readiness:
    """How readily this node makes a value that is not finite."""
    operation = operation_of(node)
    if is_custom(node):
        return Readiness.UNKNOWN
    if operation in MASKABLE:
        return Readiness.WHEN_MASKED
    if _narrows(node):
        return Readiness.BY_SIZE
    if operation in KEEP_FINITE:
        return Readiness.NEVER
    if operation in PRODUCTS or is_loss(operation):
        return Readiness.BY_SIZE
    if operation not in POLES or (operation == "div" and _is_harmless_divisor(saved_value(node, "other"))):
        return Readiness.RARELY
    return Readiness.AT_POLES


def _narrows(node: Node) -> bool:
    return operation_of(node) == "to" and node._input_metadata[0].dtype is torch.float16


def _is_harmless_divisor(other: object) -> bool:
    if isinstance(other, Tensor):
        return bool(other.ne(0).all())
    return isinstance(other, int | float) and other != 0
