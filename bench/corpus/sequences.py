"""Networks over sequences: recurrent, sliding and attending; they answer at the end or at every position."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from corpus.task import Task


class Entry(nn.Module):
    """Makes a sequence of vectors of tokens, of a signal, or of the rows of a picture."""

    def __init__(self, task: Task, width: int) -> None:
        super().__init__()
        shape = task.train.inputs.shape
        self.is_tokens, self.is_image = task.form == "tokens", task.form == "image"
        self.length = shape[2] if self.is_image else shape[1]
        self.inner = nn.Embedding(task.vocabulary, width) if self.is_tokens else nn.Linear(shape[-1], width)

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x[:, 0] if self.is_image else x)


class Recurrent(nn.Module):
    """An LSTM or a GRU; both ways where every position may see all others."""

    def __init__(
        self, task: Task, cell: Callable[..., nn.Module], width: int, depth: int, dropout: float
    ) -> None:
        super().__init__()
        self.everywhere = task.kind == "tokens"
        both = self.everywhere and not task.causal
        self.entry = Entry(task, width)
        self.cells = cell(
            width, width, depth, batch_first=True, dropout=dropout if depth > 1 else 0.0, bidirectional=both
        )
        self.head = nn.Linear(width * (1 + both), task.outputs)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.cells(self.entry(x))
        return self.head(states if self.everywhere else states[:, -1])


class Sliding(nn.Module):
    """Convolutions along the sequence, over the past alone where a task is causal."""

    def __init__(self, task: Task, width: int, depth: int, bend: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.everywhere, self.causal = task.kind == "tokens", task.causal
        self.entry = Entry(task, width)
        self.convolutions = nn.ModuleList(nn.Conv1d(width, width, 3) for _ in range(depth))
        self.bends = nn.ModuleList(bend() for _ in range(depth))
        self.head = nn.Linear(width if self.everywhere else 2 * width, task.outputs)

    def forward(self, x: Tensor) -> Tensor:
        states = self.entry(x).transpose(1, 2)
        for convolution, bend in zip(self.convolutions, self.bends, strict=True):
            states = bend(convolution(functional.pad(states, (2, 0) if self.causal else (1, 1))))
        if self.everywhere:
            return self.head(states.transpose(1, 2))
        return self.head(torch.cat([states.mean(2), states.amax(2)], 1))


class Attention(nn.Module):
    """Attention of several heads, written out."""

    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.temperature = 1.0
        self.asks, self.offers, self.says, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        rows, length, width = x.shape
        asks, offers, says = (
            layer(x).view(rows, length, self.heads, -1).transpose(1, 2)
            for layer in (self.asks, self.offers, self.says)
        )
        scores = asks @ offers.transpose(-2, -1) / (self.temperature * (width // self.heads) ** 0.5)
        if self.causal:
            later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
            scores = scores.masked_fill(later, float("-inf"))
        mixed = scores.softmax(-1) @ says
        return self.out(mixed.transpose(1, 2).reshape(rows, length, width))


class AttentionBlock(nn.Module):
    """Attention and a dense part, normalized before them or after."""

    def __init__(self, width: int, dropout: float, first: bool, causal: bool) -> None:
        super().__init__()
        self.first = first
        self.attention = Attention(width, 4, causal)
        self.dense = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        if self.first:
            x = x + self.drop(self.attention(self.norms[0](x)))
            return x + self.drop(self.dense(self.norms[1](x)))
        x = self.norms[0](x + self.drop(self.attention(x)))
        return self.norms[1](x + self.drop(self.dense(x)))


class Attending(nn.Module):
    """A transformer: an encoder, or a decoder where a task is causal."""

    def __init__(self, task: Task, width: int, depth: int, dropout: float, *, first: bool) -> None:
        super().__init__()
        self.everywhere = task.kind == "tokens"
        self.entry = Entry(task, width)
        self.places = nn.Parameter(0.7 * torch.randn(self.entry.length, width))
        self.blocks = nn.Sequential(
            *(AttentionBlock(width, dropout, first, task.causal) for _ in range(depth))
        )
        self.last = nn.LayerNorm(width) if first else nn.Identity()
        self.head = nn.Linear(width, task.outputs)

    def forward(self, x: Tensor) -> Tensor:
        states = self.last(self.blocks(self.entry(x) + self.places))
        return self.head(states if self.everywhere else states.mean(1))
