"""Values a graph did not keep, computed again from those it kept, for operations that are cheap to repeat."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.nodes import RESHAPES, UNREADABLE, operation_of, saved_value

MAX_VALUES = 1 << 26
"""Results larger than this are not computed again: the device may have no room for one more."""

Operands = Sequence[Tensor | None]
"""What entered a node, in the order of its `next_functions`; None where it is unknown."""


def recompute(node: Node, operands: Operands) -> Tensor | None:
    """The first output of the node from its operands and saved tensors; None where these do not suffice."""
    name = operation_of(node)
    repeat = _reshape if name in RESHAPES else _REPEATS.get(name)
    if repeat is None:
        return None
    try:
        if torch.Size(node._input_metadata[0].shape).numel() > MAX_VALUES:
            return None
        with torch.no_grad():
            return repeat(node, operands)
    except UNREADABLE:
        return None


def integer(node: Node, name: str) -> int:
    """A whole number the node kept."""
    return _signed(saved_value(node, name))


def integers(node: Node, name: str) -> list[int]:
    """Whole numbers the node kept, such as dimensions."""
    kept = saved_value(node, name)
    return [_signed(each) for each in kept] if isinstance(kept, tuple) else []


def _signed(value: object) -> int:
    """A whole number as torch meant it: it shows negative ones as if they had no sign."""
    number = int(str(value))
    return number - (1 << 64) if number >= 1 << 63 else number


def _of(node: Node, operands: Operands, name: str, position: int) -> Tensor:
    """An operand: as the node kept it, or as the node before made it."""
    kept = saved_value(node, name)
    if kept is not None:
        return kept
    known = operands[position] if position < len(operands) else None
    if known is None:
        raise ValueError(f"{name} is unknown")
    return known


def _unary(function: Callable[[Tensor], Tensor]) -> "Repeat":
    return lambda node, operands: function(_of(node, operands, "self", 0))


def _binary(function: Callable[[Tensor, Tensor], Tensor], second: str = "other") -> "Repeat":
    return lambda node, operands: function(_of(node, operands, "self", 0), _of(node, operands, second, 1))


def _add(sign: int) -> "Repeat":
    def repeat(node: Node, operands: Operands) -> Tensor:
        alpha = saved_value(node, "alpha")
        factor = sign * (alpha if isinstance(alpha, int | float) else 1)
        return torch.add(_of(node, operands, "self", 0), _of(node, operands, "other", 1), alpha=factor)

    return repeat


def _product(function: Callable[[Tensor, Tensor], Tensor], first: str, second: str) -> "Repeat":
    """A matrix product with a summand; one that is unknown counts as zero: it seldom is what overflows."""

    def repeat(node: Node, operands: Operands) -> Tensor:
        result = function(_of(node, operands, first, 1), _of(node, operands, second, 2))
        summand = operands[0]
        return result if summand is None else result + summand

    return repeat


def _conv(node: Node, operands: Operands) -> Tensor:
    names = ("stride", "padding", "dilation", "transposed", "output_padding", "groups")
    return torch.convolution(
        _of(node, operands, "input", 0),
        _of(node, operands, "weight", 1),
        operands[2] if len(operands) > 2 else None,
        *(saved_value(node, name) for name in names),
    )


def _where(node: Node, operands: Operands) -> Tensor:
    chosen, other = (0.0 if operand is None else operand for operand in operands)
    return torch.where(saved_value(node, "condition"), chosen, other)


def _masked_fill(node: Node, operands: Operands) -> Tensor:
    return _of(node, operands, "self", 0).masked_fill(saved_value(node, "mask"), 0.0)


def _clamp(node: Node, operands: Operands) -> Tensor:
    return _of(node, operands, "self", 0).clamp(saved_value(node, "min"), saved_value(node, "max"))


def _reshape(node: Node, operands: Operands) -> Tensor:
    return _of(node, operands, "self", 0).reshape(node._input_metadata[0].shape)


def _reduce(function: Callable[..., Tensor]) -> "Repeat":
    def repeat(node: Node, operands: Operands) -> Tensor:
        if values_reduced(node) == 0:
            return function(torch.empty(0))
        value = _of(node, operands, "self", 0)
        if not isinstance(saved_value(node, "dim"), tuple):
            return function(value)
        return function(value, integers(node, "dim"), bool(saved_value(node, "keepdim")))

    return repeat


def values_reduced(node: Node) -> int | None:
    """How many values a sum or a mean took in; None where the node does not tell."""
    sizes = saved_value(node, "self_sym_sizes")
    if isinstance(sizes, tuple):
        return math.prod(sizes)
    count = saved_value(node, "self_sym_numel")
    return count if isinstance(count, int) else None


def _loss(function: Callable[..., Tensor], *between: str, last: str = "") -> "Repeat":
    """A loss function of torch's own, whose arguments are prediction, target, settings, reduction, a setting.

    The functions of `torch.nn.functional` will not do: they warn the user, who has been warned.
    """

    def repeat(node: Node, operands: Operands) -> Tensor:
        return function(
            _of(node, operands, "self", 0),
            _of(node, operands, "target", 1),
            *(saved_value(node, name) for name in between),
            integer(node, "reduction"),
            *((_setting(saved_value(node, last)),) if last else ()),
        )

    return repeat


def _setting(value: object) -> object:
    return _signed(value) if isinstance(value, int) else value


Repeat = Callable[[Node, Operands], Tensor]

_REPEATS: dict[str, Repeat] = {
    **{
        name: _unary(getattr(torch, name))
        for name in "log log2 log10 log1p exp exp2 expm1 sqrt rsqrt reciprocal square neg abs acos asin "
        "acosh atanh tan sinh cosh lgamma digamma erfinv nan_to_num relu sigmoid tanh nansum".split()
    },
    **{name: _binary(getattr(torch, name)) for name in "mul div atan2 hypot maximum minimum xlogy".split()},
    "pow": _binary(torch.pow, "exponent"),
    "logit": lambda node, operands: torch.logit(_of(node, operands, "self", 0), saved_value(node, "eps")),
    "add": _add(+1),
    "sub": _add(-1),
    "mm": _binary(torch.mm, "mat2"),
    "bmm": _binary(torch.bmm, "mat2"),
    "mv": _binary(torch.mv, "vec"),
    "dot": _binary(torch.dot, "tensor"),
    "addmm": _product(torch.mm, "mat1", "mat2"),
    "baddbmm": _product(torch.bmm, "batch1", "batch2"),
    "conv": _conv,
    "where": _where,
    "masked_fill": _masked_fill,
    "clamp": _clamp,
    "clamp_min": _clamp,
    "clamp_max": _clamp,
    "sum": _reduce(torch.sum),
    "mean": _reduce(torch.mean),
    "mse_loss": _loss(torch.ops.aten.mse_loss),
    "smooth_l1_loss": _loss(torch.ops.aten.smooth_l1_loss, last="beta"),
    "huber_loss": _loss(torch.ops.aten.huber_loss, last="delta"),
    "nll_loss": _loss(torch.ops.aten.nll_loss_nd, "weight", last="ignore_index"),
    "binary_cross_entropy": _loss(torch.ops.aten.binary_cross_entropy, "weight"),
    "binary_cross_entropy_with_logits": _loss(
        torch.ops.aten.binary_cross_entropy_with_logits, "weight", "pos_weight"
    ),
    "t": lambda node, operands: _of(node, operands, "self", 0).t(),
    "transpose": lambda node, operands: _of(node, operands, "self", 0).transpose(
        integer(node, "dim0"), integer(node, "dim1")
    ),
    "permute": lambda node, operands: _of(node, operands, "self", 0).permute(integers(node, "dims")),
    "expand": lambda node, operands: _of(node, operands, "self", 0).expand(node._input_metadata[0].shape),
    "to": lambda node, operands: _of(node, operands, "self", 0).to(node._input_metadata[0].dtype),
    "select": lambda node, operands: _of(node, operands, "self", 0).select(
        integer(node, "dim"), integer(node, "index")
    ),
    "slice": lambda node, operands: torch.ops.aten.slice(
        _of(node, operands, "self", 0), *(integer(node, name) for name in ("dim", "start", "end", "step"))
    ),
    "index": lambda node, operands: _of(node, operands, "self", 0)[saved_value(node, "indices")],
}
