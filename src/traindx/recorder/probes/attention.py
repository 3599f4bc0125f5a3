"""How far the attention scores of a query lie apart, and how much its largest weight is.

Scores that grow make the softmax pick a single key: then it passes no gradient. The graph of the loss keeps
queries and keys where attention is one operation, and the weights where it is spelled out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.quantities import ATTENTION_LOGIT_RANGE, ATTENTION_PEAK
from traindx.recorder.graph.nodes import (
    UNREADABLE,
    VIEWS,
    is_leaf,
    is_readable,
    nodes_behind,
    operands,
    operation_of,
    saved_value,
    seen_through,
)
from traindx.recorder.graph.origin import own_layer
from traindx.recorder.graph.recompute import integer
from traindx.recorder.probes.types import LiveParameter, Probe, Snapshot
from traindx.recorder.tensors.access import reckoning
from traindx.recorder.tensors.sample import even_step

_PRODUCTS = {"bmm": (0, 1), "mm": (0, 1), "baddbmm": (1, 2), "addmm": (1, 2)}
"""Products of matrices, and which of their operands are multiplied."""
_BETWEEN = VIEWS | frozenset("mul div add sub masked_fill where tanh".split())
"""What scores pass between the product of queries and keys and the softmax."""
_HIDES = frozenset("add sub baddbmm addmm".split())
"""Operations that may add a mask, and do not keep it."""
_FARTHEST = 32
"""Operations between the two."""


@dataclass(frozen=True, eq=False)
class Fused:
    """One operation that does it all; weights are not kept, queries and keys are."""

    layer: str
    query: Tensor
    key: Tensor
    mask: Tensor | None
    is_causal: bool
    scale: float


@dataclass(frozen=True, eq=False)
class Spelled:
    """A softmax over the products of queries and keys; its result is kept."""

    layer: str
    weights: Tensor
    is_masked: bool
    """Whether some weights may be zero by intention."""
    mask: Tensor | None
    """True where they are, if that is known."""


def attentions(nodes: Sequence[Node], names: Mapping[int, str]) -> Iterator[Fused | Spelled]:
    """The attention among nodes that are given inputs first; `names` has the parameters by their id."""
    users: dict[Node, tuple[int, str]] = {}
    for node in nodes:
        own = own_layer(node, names)
        found_users = [users[operand] for operand in operands(node) if operand in users]
        user = max(found_users, default=None) if own is None else (node._sequence_nr(), own)
        if user is None:
            continue
        users[node] = user
        operation = operation_of(node)
        match: Fused | Spelled | None = None
        if operation == "scaled_dot_product_attention":
            match = _fused(node, user[1])
        elif operation == "softmax":
            match = _spelled(node, user[1])
        if match is not None:
            yield match


def _fused(node: Node, layer: str) -> Fused | None:
    query, key = saved_value(node, "query"), saved_value(node, "key")
    if not isinstance(query, Tensor) or not isinstance(key, Tensor):
        return None
    if not is_readable(query) or not is_readable(key) or query.dim() != 4 or key.dim() != 4:
        return None
    masks = [saved_value(node, name) for name in ("attn_mask", "attn_bias")]
    mask = next((other for other in masks if isinstance(other, Tensor) and other.numel()), None)
    scale = saved_value(node, "scale")
    return Fused(
        layer=layer,
        query=query,
        key=key,
        mask=mask,
        is_causal=saved_value(node, "is_causal") is True,
        scale=float(scale) if isinstance(scale, int | float) else float(query.shape[-1]) ** -0.5,
    )


def _spelled(node: Node, layer: str) -> Spelled | None:
    weights = saved_value(node, "result")
    if not isinstance(weights, Tensor) or not is_readable(weights) or weights.dim() < 2:
        return None
    try:
        if integer(node, "dim") not in (-1, weights.dim() - 1):
            return None
    except UNREADABLE:
        return None
    passed = _way_to_product(node)
    if passed is None:
        return None
    masks = [operation for operation in passed if operation_of(operation) in ("masked_fill", "where")]
    kept = saved_value(masks[0], "mask") if masks and operation_of(masks[0]) == "masked_fill" else None
    hidden = len(masks) > 1 or any(_adds_constant(operation) for operation in passed)
    return Spelled(
        layer=layer,
        weights=weights,
        is_masked=bool(masks) or hidden,
        mask=kept if isinstance(kept, Tensor) and not hidden else None,
    )


def _way_to_product(softmax: Node) -> list[Node] | None:
    """The operations from a product of queries and keys to the softmax; None where there is no product."""
    passed: list[Node] = []
    node = softmax.next_functions[0][0]
    while node is not None and len(passed) < _FARTHEST:
        passed.append(node)
        operation = operation_of(node)
        if operation in _PRODUCTS:
            factors = [node.next_functions[index][0] for index in _PRODUCTS[operation]]
            return passed if all(map(_depends_on_data, factors)) else None
        if operation not in _BETWEEN:
            return None
        node = next((operand for operand, _ in node.next_functions if _depends_on_data(operand)), None)
    return None


def _depends_on_data(operand: Node | None) -> bool:
    """Whether it is more than a parameter or a constant."""
    source = seen_through(operand)
    return source is not None and not is_leaf(source)


def _adds_constant(node: Node) -> bool:
    """Whether the node adds something from outside the graph, which may be a mask."""
    operation = operation_of(node)
    if operation not in _HIDES:
        return False
    parents = [operand for operand, _ in node.next_functions]
    return parents[0] is None or (operation in ("add", "sub") and None in parents)


_QUERIES = 32
"""Queries of an attention that are looked at."""
_HEADS, _QUERIES_OF_HEAD = 8, 4
"""The same where scores are computed: a head's keys serve several queries."""
_KEYS = 512
"""Keys that a query is multiplied with; where there are more, each stands for several."""
_LAYERS = 64
_MOST_NODES = 20_000
_AT_FIRST, _EVERY = 8, 3
"""Looks at which the graph is searched: scores grow slowly, and a search takes a millisecond."""
_FRUITLESS = 3
"""Looks without attention after which it is searched no more."""


class Attention(Probe):
    """Finds attention in the graph of the loss before it is used up."""

    def __init__(self) -> None:
        self._looks = self._fruitless = 0

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """Write what the scores and weights of each layer are like."""
        node = loss.grad_fn
        if self._fruitless == _FRUITLESS or node is None or not parameters:
            return
        self._looks += 1
        if self._looks > _AT_FIRST and self._looks % _EVERY:
            return
        names = {id(parameter.value): parameter.name for parameter in parameters}
        written: set[str] = set()
        with reckoning():
            for attention in attentions(nodes_behind(node, _MOST_NODES), names):
                # A layer that is used again is told by its first use.
                if attention.layer in written or len(written) == _LAYERS:
                    continue
                measured = _of_scores(attention) if isinstance(attention, Fused) else _of_weights(attention)
                if measured is None:
                    continue
                written.add(attention.layer)
                reach, peak = measured
                snapshot.add(ATTENTION_LOGIT_RANGE, _number(reach), layer=attention.layer)
                snapshot.add(ATTENTION_PEAK, _number(peak), layer=attention.layer)
        self._fruitless = 0 if written else self._fruitless + 1


def _number(value: Tensor) -> float | Tensor:
    return float(value) if value.is_cpu else value


def _of_weights(attention: Spelled) -> tuple[Tensor, Tensor] | None:
    """Range and peak from the weights: the logarithm of a weight is its score but for a constant."""
    weights = attention.weights.detach()
    rows = weights.flatten(0, -2)
    places = _spread(rows.shape[0], _QUERIES)
    tiny = torch.finfo(weights.dtype).tiny
    rows = rows[places].float()
    largest = rows.amax(1)
    # Where nothing is masked a zero is a weight too small for its format.
    counted = rows > 0 if attention.is_masked else torch.ones_like(rows, dtype=torch.bool)
    if attention.mask is not None and (masked := _stretched(attention.mask, weights.shape)) is not None:
        counted = counted | ~masked.flatten(0, -2)[places]
    smallest = rows.clamp_min(tiny).masked_fill(~counted, torch.inf).amin(1)
    attends = largest > 0
    return _means(largest.clamp_min(tiny).log() - smallest.log(), largest, attends)


def _of_scores(attention: Fused) -> tuple[Tensor, Tensor] | None:
    """Range and peak from queries and keys."""
    query, key = attention.query.detach(), attention.key.detach()
    batch, heads, length, _ = query.shape
    mask = (
        None if attention.mask is None else _stretched(attention.mask, (batch, heads, length, key.shape[2]))
    )
    if attention.mask is not None and mask is None:
        return None
    stride = -(-key.shape[2] // _KEYS)
    places = torch.tensor(_spread(batch * heads, _HEADS), device=query.device)
    samples, head = places // heads, places % heads
    rows = _queries(len(places), length).to(query.device)
    # Several heads of queries may share one of keys.
    keys = key[:, :, ::stride][samples, head * key.shape[1] // heads]
    queries = query[samples[:, None], head[:, None], rows]
    scores = torch.bmm(queries.float(), keys.float().transpose(1, 2)) * attention.scale
    if attention.is_causal:
        positions = torch.arange(0, key.shape[2], stride, device=query.device)
        scores = scores.masked_fill(positions > rows[:, :, None], -torch.inf)
    if mask is not None:
        part = mask[:, :, :, ::stride][samples[:, None], head[:, None], rows]
        scores = scores.masked_fill(~part, -torch.inf) if part.dtype is torch.bool else scores + part
    scores = scores.flatten(0, 1)
    largest = scores.amax(1)
    # A mask may be a large number in place of infinity.
    left_out = scores < -1e8
    smallest = scores.masked_fill(left_out, torch.inf).amin(1)
    others = (scores - largest[:, None]).exp().sum(1) - 1
    peaks = 1 / (1 + stride * others)
    return _means(largest - smallest, peaks, torch.isfinite(smallest))


def _means(ranges: Tensor, peaks: Tensor, attends: Tensor) -> tuple[Tensor, Tensor] | None:
    """The means over queries that attend to anything."""
    if attends.is_cpu and not attends.any():
        return None
    count = attends.sum()
    return (torch.where(attends, ranges, 0.0).sum() / count, torch.where(attends, peaks, 0.0).sum() / count)


def _queries(heads: int, length: int) -> Tensor:
    """Places of queries for each head: not all from the beginning, where a causal attention has few keys."""
    count = min(length, _QUERIES_OF_HEAD)
    step = length // count
    first = torch.arange(heads, device="cpu") * step // heads
    return first[:, None] + torch.arange(count, device="cpu") * step


def _spread(total: int, most: int) -> list[int]:
    """Places that are spread evenly, and not all at the same place of a row."""
    return list(range(0, total, even_step((total,), most)))[:most] if total else []


def _stretched(mask: Tensor, shape: Sequence[int]) -> Tensor | None:
    try:
        return mask.detach().expand(shape)
    except RuntimeError:  # it was used in another shape
        return None
