"""Which operations can turn a finite gradient into one that is not, and where."""

from enum import IntEnum

from torch.autograd.graph import Node

from traindx.recorder.graph.kinds import FILTERS, PRODUCTS, hides_constant
from traindx.recorder.graph.nodes import VIEWS, is_custom, operation_of
from traindx.recorder.graph.saved import saved_value


class Steepness(IntEnum):
    """How readily the derivative of an operation is infinite where its value was finite."""

    BOUNDED = 0
    LARGE = 1
    """Only by the overflow of a product or a sum."""
    GUARDED = 2
    """Infinite at a point that a constant added before, or a clamp, keeps away from."""
    INFINITE_WITH_VALUE = 3
    """Where the value is infinite too: a finite loss means that it was left out afterwards."""
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
    **dict.fromkeys(
        "softmax log_softmax logsumexp logcumsumexp logaddexp".split(), "where all values are -inf"
    ),
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
    operands = [operand for operand, _ in node.next_functions if operand is not None]
    if not operands:
        return False
    # Of two operands the second: a quotient is guarded by its divisor.
    operand = operands[-1]
    while operation_of(operand) in VIEWS and operand.next_functions:
        operand = operand.next_functions[0][0]
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
