"""The bounds of operations: where a finite value makes a result that is not finite, and how many do."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.evidence import Evidence, in_parts
from traindx.recorder.graph.nodes import UNREADABLE, operation_of, saved_value, seen_through
from traindx.recorder.graph.operations import MASKABLE, hides_constant
from traindx.recorder.graph.recompute import integer, integers, values_reduced


@dataclass(frozen=True, eq=False)
class Broken:
    """A bound that values of the pass went beyond, as the two halves of a sentence around the place."""

    before: str
    after: str
    operand: Node | None = None
    """The node that made those values, where it is one of several operands."""


@dataclass(frozen=True)
class _Limit:
    of: str
    are: str
    breaks: Callable[[Tensor], Tensor]


_ZERO = _Limit("0", "0", lambda value: value == 0)
_NEGATIVE = _Limit("a negative value", "negative", lambda value: value < 0)
_BEYOND_ONE = _Limit("a value outside [-1, 1]", "outside", lambda value: value.abs() > 1)
_AT_ONE = _Limit("a value outside (-1, 1)", "outside", lambda value: value.abs() >= 1)

_LIMITS: dict[str, tuple[_Limit, ...]] = {
    **dict.fromkeys(("log", "log2", "log10", "rsqrt"), (_NEGATIVE, _ZERO)),
    "sqrt": (_NEGATIVE,),
    "reciprocal": (_ZERO,),
    "log1p": (
        _Limit("a value below -1", "below -1", lambda value: value < -1),
        _Limit("-1", "-1", lambda value: value == -1),
    ),
    **dict.fromkeys(("acos", "asin"), (_BEYOND_ONE,)),
    **dict.fromkeys(("atanh", "erfinv"), (_AT_ONE,)),
    "acosh": (_Limit("a value below 1", "below 1", lambda value: value < 1),),
    "logit": (_Limit("a value outside (0, 1)", "outside", lambda value: (value <= 0) | (value >= 1)),),
    "lgamma": (
        _Limit(
            "0 or a negative integer", "such integers", lambda value: (value <= 0) & (value == value.floor())
        ),
    ),
}


def limit_broken(node: Node, evidence: Evidence) -> Broken | None:
    """The bound of the node's operation that its operands break; None where no known one is broken."""
    operation = operation_of(node)
    ask = _point if operation in _LIMITS else _OTHERS.get(operation)
    try:
        return None if ask is None else ask(operation, node, evidence)
    except UNREADABLE:
        return None


def _operand(node: Node, evidence: Evidence, name: str, position: int) -> Tensor | None:
    kept = saved_value(node, name)
    if isinstance(kept, Tensor):
        return kept
    return evidence.values.get(node.next_functions[position]) if position < len(node.next_functions) else None


def _count(value: Tensor, breaks: Callable[[Tensor], Tensor]) -> int:
    return sum(int(breaks(part).sum()) for part in in_parts(value))


def _point(operation: str, node: Node, evidence: Evidence) -> Broken | None:
    value, result = _operand(node, evidence, "self", 0), evidence.values.get((node, 0))
    for limit in _LIMITS[operation]:
        broken = 0 if value is None else _count(value, limit.breaks)
        if broken:
            return Broken(
                _called(operation, limit.of), f": {_share(broken, value)} {_are(broken)} {limit.are}"
            )
    if value is not None or result is None:
        return None
    # The square root keeps its result only; NaN means a negative value, infinity (of 1 / x) a zero.
    nan = _count(result, Tensor.isnan)
    infinite = _count(result, Tensor.isinf)
    if nan:
        return Broken(
            f"{operation} of a negative value", f": {_share(nan, result, 'result')} {_are(nan)} NaN"
        )
    return Broken(
        _called(operation, "0"), f": {_share(infinite, result, 'result')} {_are(infinite)} infinite"
    )


def _division(_: str, node: Node, evidence: Evidence) -> Broken | None:
    other = _operand(node, evidence, "other", 1)
    zeros = 0 if other is None else _count(other, _ZERO.breaks)
    if not zeros:
        return None
    return Broken(
        "division by 0", f": {_share(zeros, other, 'divisor')} {_are(zeros)} 0", node.next_functions[1][0]
    )


def _power(_: str, node: Node, evidence: Evidence) -> Broken | None:
    value, exponent = _operand(node, evidence, "self", 0), saved_value(node, "exponent")
    if value is None or not isinstance(exponent, int | float):
        return None
    limits = [_NEGATIVE] if exponent != int(exponent) else []
    for limit in [*limits, _ZERO] if exponent < 0 else limits:
        broken = _count(value, limit.breaks)
        if broken:
            after = f": {_share(broken, value)} {_are(broken)} {limit.are}"
            return Broken(f"{limit.of} to the power {exponent:g}", after)
    return None


def _masked_rows(operation: str, node: Node, evidence: Evidence) -> Broken | None:
    result = evidence.values.get((node, 0))
    dim = saved_value(node, "dim")
    if result is None or result.dim() == 0 or isinstance(dim, tuple):
        return None
    bad = result.isnan().all(integer(node, "dim"))
    rows = int(bad.sum())
    if not _is_masked(node.next_functions[0][0]):
        return None
    hidden = int(result.isneginf().sum())
    if not rows and hidden:
        after = f": {_share(hidden, result, 'result')} {_are(hidden)} -inf, and the loss uses one of them"
        return Broken(f"{operation} of values masked with -inf", after)
    return Broken(
        f"{operation} of rows that are all -inf", f": {rows:,} of {bad.numel():,} rows {_are(rows)} NaN"
    )


def _is_masked(operand: Node | None) -> bool:
    masking = seen_through(operand)
    return masking is not None and hides_constant(masking)


def _ignored_targets(operation: str, node: Node, _: Evidence) -> Broken | None:
    total, ignored = saved_value(node, "total_weight"), integer(node, "ignore_index")
    if not isinstance(total, Tensor) or float(total) != 0:
        return None
    target = saved_value(node, "target")
    count = target.numel() if isinstance(target, Tensor) else 0
    return Broken(
        f"{operation} averages over 0 targets",
        f": all {count:,} are ignored (ignore_index={ignored}) or have weight 0",
    )


def _empty_mean(operation: str, node: Node, _: Evidence) -> Broken | None:
    return Broken(f"{operation} of 0 values", "") if values_reduced(node) == 0 else None


def _spread(operation: str, node: Node, _: Evidence) -> Broken | None:
    value, correction, dims = (
        saved_value(node, "self"),
        saved_value(node, "correction"),
        integers(node, "dim"),
    )
    if not isinstance(value, Tensor):
        return None
    count = math.prod(value.shape[dim] for dim in dims) if dims else value.numel()
    spare = correction if isinstance(correction, int | float) else 1
    if count > spare:
        return None
    return Broken(f"{operation} of {count} {'value' if count == 1 else 'values'}", " is undefined")


_OTHERS: dict[str, Callable[[str, Node, Evidence], Broken | None]] = {
    "div": _division,
    "pow": _power,
    "nll_loss": _ignored_targets,
    "mean": _empty_mean,
    **dict.fromkeys(("std", "var"), _spread),
    **dict.fromkeys(MASKABLE, _masked_rows),
}


def _called(operation: str, of: str) -> str:
    """An operation and what it was given: "log(0)", or "log of a negative value"."""
    return f"{operation}({of})" if of.lstrip("-").isdecimal() else f"{operation} of {of}"


def _share(count: int, value: Tensor, noun: str = "value") -> str:
    total = value.numel()
    return f"{count:,} of {total:,} {noun if total == 1 else noun + 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
