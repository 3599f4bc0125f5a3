"""How far the attention scores of a query lie apart, and how much its largest weight is.

Scores that grow make the softmax pick a single key: then it passes no gradient. The graph of the loss keeps
queries and keys where attention is one operation, and the weights where it is spelled out.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from traindx.quantities import ATTENTION_LOGIT_RANGE, ATTENTION_PEAK
from traindx.recorder.graph.attention import Fused, Spelled, attentions
from traindx.recorder.graph.nodes import nodes_behind
from traindx.recorder.probes.types import LiveParameter, Probe, Snapshot
from traindx.recorder.tensors.access import reckoning
from traindx.recorder.tensors.sample import even_step

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
        names = {id(one.value): one.name for one in parameters}
        written: set[str] = set()
        with reckoning():
            for one in attentions(nodes_behind(node, _MOST_NODES), names):
                # A layer that is used again is told by its first use.
                if one.layer in written or len(written) == _LAYERS:
                    continue
                measured = _of_scores(one) if isinstance(one, Fused) else _of_weights(one)
                if measured is None:
                    continue
                written.add(one.layer)
                reach, peak = measured
                snapshot.add(ATTENTION_LOGIT_RANGE, _number(reach), layer=one.layer)
                snapshot.add(ATTENTION_PEAK, _number(peak), layer=one.layer)
        self._fruitless = 0 if written else self._fruitless + 1


def _number(value: Tensor) -> float | Tensor:
    return float(value) if value.is_cpu else value


def _of_weights(one: Spelled) -> tuple[Tensor, Tensor] | None:
    """Range and peak from the weights: the logarithm of a weight is its score but for a constant."""
    weights = one.weights.detach()
    rows = weights.flatten(0, -2)
    places = _spread(rows.shape[0], _QUERIES)
    tiny = torch.finfo(weights.dtype).tiny
    rows = rows[places].float()
    largest = rows.amax(1)
    # Where nothing is masked a zero is a weight too small for its format.
    counted = rows > 0 if one.is_masked else torch.ones_like(rows, dtype=torch.bool)
    if one.mask is not None and (masked := _stretched(one.mask, weights.shape)) is not None:
        counted = counted | ~masked.flatten(0, -2)[places]
    smallest = rows.clamp_min(tiny).masked_fill(~counted, torch.inf).amin(1)
    attends = largest > 0
    return _means(largest.clamp_min(tiny).log() - smallest.log(), largest, attends)


def _of_scores(one: Fused) -> tuple[Tensor, Tensor] | None:
    """Range and peak from queries and keys."""
    query, key = one.query.detach(), one.key.detach()
    batch, heads, length, _ = query.shape
    mask = None if one.mask is None else _stretched(one.mask, (batch, heads, length, key.shape[2]))
    if one.mask is not None and mask is None:
        return None
    stride = -(-key.shape[2] // _KEYS)
    places = torch.tensor(_spread(batch * heads, _HEADS), device=query.device)
    samples, head = places // heads, places % heads
    rows = _queries(len(places), length).to(query.device)
    # Several heads of queries may share one of keys.
    keys = key[:, :, ::stride][samples, head * key.shape[1] // heads]
    queries = query[samples[:, None], head[:, None], rows]
    scores = torch.bmm(queries.float(), keys.float().transpose(1, 2)) * one.scale
    if one.is_causal:
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
    return (
        torch.where(attends, ranges, 0.0).sum() / count,
        torch.where(attends, peaks, 0.0).sum() / count,
    )


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
