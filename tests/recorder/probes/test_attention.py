"""Attention scores and weights, against every query and key of the same forward pass."""

import math
from collections.abc import Callable

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone calls it
from torch import Tensor, nn

from tests.recorder.tensors.training import Training, named
from traindx.quantities import ATTENTION_LOGIT_RANGE, ATTENTION_PEAK
from traindx.recorder.probes.attention import Attention
from traindx.testing.probe import Written

LENGTH, WIDTH, HEADS = 4, 8, 2
Way = Callable[[Tensor, Tensor, Tensor], Tensor]
CAUSAL = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()


class SelfAttention(nn.Module):
    """Attention in one way or another; keeps its scores for the slow second implementation."""

    def __init__(self, way: Way, mask: Tensor | None, sharp: float) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.way, self.mask, self.sharp = way, mask, sharp
        self.scores = torch.zeros(0)

    def forward(self, values: Tensor) -> Tensor:
        batch, length, _ = values.shape
        query, key, value = (
            part.view(batch, length, HEADS, -1).transpose(1, 2) for part in self.qkv(values).chunk(3, -1)
        )
        query = query * self.sharp
        scores = (query @ key.transpose(-1, -2)).detach() / math.sqrt(WIDTH // HEADS)
        self.scores = scores if self.mask is None else scores.masked_fill(~self.mask, -math.inf)
        mixed = self.way(query, key, value)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))


def reference(scores: Tensor) -> tuple[float, float]:
    """Range and peak of every query, one by one."""
    ranges, peaks = [], []
    for row in scores.reshape(-1, scores.shape[-1]):
        attended = row[row > -math.inf]
        ranges.append(float(attended.max() - attended.min()))
        peaks.append(float(row.softmax(0).max()))
    return sum(ranges) / len(ranges), sum(peaks) / len(peaks)


def by_hand(mask: Tensor | None, fill: float = -math.inf) -> Way:
    def way(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, fill)
        return F.dropout(scores.softmax(-1), 0.2) @ value

    return way


def by_where(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    return torch.softmax(torch.where(CAUSAL, scores, -torch.inf), -1) @ value


def by_adding(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return (scores + torch.zeros(LENGTH, LENGTH).masked_fill(~CAUSAL, -torch.inf)).softmax(-1) @ value


def fused(attn_mask: Tensor | None = None, is_causal: bool = False, dropout_p: float = 0.0) -> Way:
    return lambda query, key, value: F.scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal
    )


WAYS: dict[str, tuple[Way, Tensor | None]] = {
    "by hand": (by_hand(None), None),
    "by hand, causal": (by_hand(CAUSAL), CAUSAL),
    "by hand, with a large number": (by_hand(CAUSAL, -1e9), CAUSAL),
    "by where": (by_where, CAUSAL),
    "by adding": (by_adding, CAUSAL),
    "fused": (fused(), None),
    "fused, causal": (fused(is_causal=True), CAUSAL),
    "fused, with a mask": (fused(attn_mask=CAUSAL), CAUSAL),
    "fused, with a mask to add": (
        fused(attn_mask=torch.zeros(LENGTH, LENGTH).masked_fill(~CAUSAL, -torch.inf)),
        CAUSAL,
    ),
    "fused, with dropout": (fused(is_causal=True, dropout_p=0.1), CAUSAL),
}


def look_at(model: nn.Module, inputs: Tensor) -> Written:
    training = Training(Attention(), model, torch.optim.SGD(model.parameters(), lr=0.01))
    training.snapshot(lambda: model(inputs).square().mean())
    return training.snapshot(lambda: model(inputs).square().mean())


@pytest.mark.parametrize("sharp", [1.0, 8.0])
@pytest.mark.parametrize(("way", "mask"), WAYS.values(), ids=WAYS)
def test_few_queries_are_measured_exactly(way: Way, mask: Tensor | None, sharp: float) -> None:
    torch.manual_seed(0)
    model = SelfAttention(way, mask, sharp)
    snapshot = look_at(model, torch.randn(2, LENGTH, WIDTH))
    reach, peak = reference(model.scores)
    assert snapshot.numbers == pytest.approx(
        {(ATTENTION_LOGIT_RANGE, "qkv", ""): reach, (ATTENTION_PEAK, "qkv", ""): peak}, rel=1e-4
    )


@pytest.mark.parametrize(("way", "mask"), [WAYS["by hand"], WAYS["fused, causal"]])
def test_many_queries_are_sampled(way: Way, mask: Tensor | None) -> None:
    torch.manual_seed(0)
    longer = 600
    model = SelfAttention(way, None if mask is None else torch.ones(longer, longer).tril().bool(), 3.0)
    snapshot = look_at(model, torch.randn(3, longer, WIDTH))
    reach, peak = reference(model.scores)
    assert snapshot.numbers[ATTENTION_LOGIT_RANGE, "qkv", ""] == pytest.approx(reach, rel=0.3)
    assert snapshot.numbers[ATTENTION_PEAK, "qkv", ""] == pytest.approx(peak, abs=0.05)


@pytest.mark.parametrize("name", ["by hand", "by hand, causal", "by hand, with a large number"])
def test_weights_too_small_for_their_format_count_and_masked_ones_do_not(name: str) -> None:
    torch.manual_seed(0)
    way, mask = WAYS[name]
    model = SelfAttention(way, mask, 2000.0)
    snapshot = look_at(model, torch.randn(2, LENGTH, WIDTH))
    rows = model.scores.reshape(-1, LENGTH)
    least = -math.log(torch.finfo(torch.float32).tiny)
    ranges = [min(float(row.max() - row[row > -math.inf].min()), least) for row in rows]
    assert snapshot.numbers[ATTENTION_LOGIT_RANGE, "qkv", ""] == pytest.approx(
        sum(ranges) / len(ranges), rel=0.02
    )
    assert float(snapshot.numbers[ATTENTION_PEAK, "qkv", ""]) > 0.95


@pytest.mark.parametrize("dropout", [0.0, 0.1])
@pytest.mark.parametrize("need_weights", [False, True])
def test_attention_of_torch_is_told_by_its_name(dropout: float, need_weights: bool) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.TransformerEncoderLayer(WIDTH, HEADS, 16, dropout, batch_first=True)
            self.second = nn.MultiheadAttention(WIDTH, HEADS, dropout, batch_first=True)

        def forward(self, values: Tensor) -> Tensor:
            values = self.first(values)
            return self.second(values, values, values, need_weights=need_weights)[0]

    torch.manual_seed(0)
    snapshot = look_at(Net(), torch.randn(2, LENGTH, WIDTH))
    assert {layer for _, layer, _ in snapshot.numbers} == {"first.self_attn", "second"}
    assert all(float(value) > 0 for value in snapshot.numbers.values())
    peaks = [float(value) for (quantity, *_), value in snapshot.numbers.items() if quantity is ATTENTION_PEAK]
    assert all(1 / LENGTH < peak < 1 for peak in peaks)


def test_several_heads_of_queries_may_share_one_of_keys() -> None:
    torch.manual_seed(0)
    query, key = (nn.Linear(WIDTH, heads * 4) for heads in (4, 2))
    model = nn.ModuleDict({"query": query, "key": key})
    inputs = torch.randn(2, LENGTH, WIDTH)
    queries = query(inputs).view(2, LENGTH, 4, 4).transpose(1, 2)
    keys = key(inputs).view(2, LENGTH, 2, 4).transpose(1, 2)
    mixed = F.scaled_dot_product_attention(queries, keys, keys, enable_gqa=True)
    snapshot = Written()
    Attention().backward_begins(snapshot, mixed.sum(), named(model))
    scores = queries @ keys.repeat_interleave(2, 1).transpose(-1, -2) / 2
    reach, peak = reference(scores.detach())
    assert snapshot.numbers == pytest.approx(
        {(ATTENTION_LOGIT_RANGE, "key", ""): reach, (ATTENTION_PEAK, "key", ""): peak}, rel=1e-4
    )


@pytest.mark.parametrize(
    "output",
    [
        lambda model, inputs: model(inputs).softmax(-1),
        lambda model, inputs: (inputs @ model.weight).softmax(-1),
        lambda model, inputs: (model(inputs) @ model(inputs).transpose(-1, -2)).softmax(0),
        lambda model, inputs: model(inputs).relu(),
    ],
)
def test_other_softmaxes_are_no_attention(output: Callable[[nn.Module, Tensor], Tensor]) -> None:
    model, snapshot, probe = nn.Linear(WIDTH, WIDTH), Written(), Attention()
    for _ in range(3):
        probe.backward_begins(snapshot, output(model, torch.randn(2, LENGTH, WIDTH)).sum(), named(model))
    assert not snapshot.numbers
    # By then it has given up.
    net = SelfAttention(fused(), None, 1.0)
    probe.backward_begins(snapshot, net(torch.randn(2, LENGTH, WIDTH)).sum(), named(net))
    assert not snapshot.numbers
