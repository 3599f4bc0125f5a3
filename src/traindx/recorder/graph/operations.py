"""Which operations can make a value or a gradient that is not finite out of finite ones, and how readily."""

from enum import IntEnum

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import VIEWS, is_custom, operands, operation_of, saved_value, seen_through


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

NORMALIZATIONS = frozenset(("batch_norm", "layer_norm", "group_norm", "rms_norm"))
"""Operations that keep the mean and scale they normalized with as results."""

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
    | NORMALIZATIONS
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
    given = [operand for operand, _ in node.next_functions]
    if operation == "baddbmm":
        return given[0] is None
    return operation == "masked_fill" or len(given) < 2 or None in given


def keeps_finite(node: Node) -> bool:
    """Whether finite values give a finite result at this node."""
    operation = operation_of(node)
    if is_custom(node):
        return False
    if operation in NORMALIZATIONS:
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


class Steepness(IntEnum):
    """How readily the derivative of an operation is infinite where its value was finite."""

    BOUNDED = 0
    LARGE = 1
    """Only by the overflow of a product or a sum."""
    GUARDED = 2
    """Infinite at a point that a constant added before, or a clamp, keeps away from."""
    INFINITE_WITH_VALUE = 3
    """Where the value is infinite too: a finite loss means that it was left out afterward."""
    UNKNOWN = 4
    """The backward pass is code of the user's own."""
    INFINITE = 5
    """Infinite at a point where the value is finite."""


POINTS = {
    "sqrt": "at 0",
    "pow": "at 0",
    "xlogy": "at 0",
    "special_entr": "at 0",
    "hypot": "at 0, 0",
    "acos": "at -1 and 1",
    "asin": "at -1 and 1",
    "acosh": "at 1",
    "linalg_svd": "for equal singular values",
    "linalg_eigh": "for equal eigenvalues",
}
"""Operations with a finite value and no finite derivative, and where."""

POINTS_OF_BOTH = {
    **dict.fromkeys("log log2 log10 div reciprocal rsqrt lgamma".split(), "at 0"),
    "log1p": "at -1",
    "logit": "at 0 and 1",
    **dict.fromkeys("atanh erfinv".split(), "at -1 and 1"),
    **dict.fromkeys("exp exp2 expm1 sinh cosh tan".split(), "for large values"),
    **dict.fromkeys("softmax log_softmax logsumexp logcumsumexp logaddexp".split(), "if all values are -inf"),
}
"""Operations whose value and derivative cease to be finite at the same place."""

DEFUSED = {
    "std": "for equal values",
    "std_mean": "for equal values",
    "norm": "for zeros",
    "cdist": "for equal points",
    "atan2": "at 0, 0",
    "prod": "at 0",
}
"""Operations of the first kind where torch 2 gives the gradient 0 instead; older ones gave NaN."""

_POSITIVE = frozenset("softplus exp sigmoid".split())


def steepness(node: Node) -> Steepness:
    """How readily this node makes a gradient that is not finite, from what outlives the backward pass."""
    operation = operation_of(node)
    if is_custom(node):
        return Steepness.UNKNOWN
    if operation in POINTS and not _is_smooth_power(node):
        return Steepness.GUARDED if _is_guarded(node) else Steepness.INFINITE
    if operation in POINTS_OF_BOTH:
        return Steepness.GUARDED if _is_guarded(node) else Steepness.INFINITE_WITH_VALUE
    if operation in DEFUSED:
        return Steepness.GUARDED
    return Steepness.LARGE if operation in PRODUCTS or operation == "mul" else Steepness.BOUNDED


def point_of(operation: str) -> str:
    """Where the derivative is infinite, as words: "at 0"; "" where no such point is known."""
    return (POINTS | POINTS_OF_BOTH | DEFUSED).get(operation, "")


def leaves_out(node: Node) -> bool:
    """Whether the node passes on some of its values only, so that bad ones need not show in the loss."""
    return operation_of(node) in FILTERS - {"select", "slice"}


def _is_smooth_power(node: Node) -> bool:
    base, exponent = saved_value(node, "self"), saved_value(node, "exponent")
    return isinstance(base, int | float) or (isinstance(exponent, int | float) and exponent >= 1)


def _is_guarded(node: Node) -> bool:
    """Whether what enters was kept away from the point: by a constant added, or by a bound."""
    entered = operands(node)
    # Of two operands the second: a quotient is guarded by its divisor.
    operand = seen_through(entered[-1] if entered else None)
    if operand is None:
        return False
    before = operation_of(operand)
    if before.startswith("clamp"):
        return _bounds_away(operand, operation_of(node))
    if point_of(operation_of(node)) != "at 0":
        return False
    return before in _POSITIVE or (before == "add" and hides_constant(operand))


def _bounds_away(clamp: Node, operation: str) -> bool:
    around_one = operation in ("acos", "asin", "atanh", "erfinv")
    bound = saved_value(clamp, "max" if around_one else "min")
    if not isinstance(bound, int | float):
        return True
    return bound < 1 if around_one else bound > 0
