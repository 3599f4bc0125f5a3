"""Odd data."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from tests.promises.odd.ordinary import STEPS, ends, mlp


class Counting(Dataset[Tensor]):
    """Data behind a slow database: how often it is asked for its length matters."""

    def __init__(self) -> None:
        self.asked = 0

    def __len__(self) -> int:
        self.asked += 1
        return 48

    def __getitem__(self, index: int) -> Tensor:
        return torch.full((4,), index / 48)


def a_length_that_is_counted() -> object:
    data, model = Counting(), mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for batch in DataLoader(data, batch_size=2, shuffle=True):
        loss = model(batch).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    # Torch asks a few times, and so may a recorder; not at every one of the 24 batches.
    return ends(model, optimizer, data.asked < 12)


class Bottomless(Counting):
    """Data that does not know how much there is of it."""

    def __len__(self) -> int:
        raise RuntimeError("the database is gone")


def a_length_that_fails() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for batch in DataLoader(Bottomless(), batch_sampler=[[i, i + 1] for i in range(0, 40, 2)]):
        optimizer.zero_grad()
        model(batch).pow(2).mean().backward()
        optimizer.step()
    return ends(model, optimizer)


class Streaming(IterableDataset[Tensor]):
    """Data without a length."""

    def __iter__(self) -> Iterator[Tensor]:
        return (torch.full((4,), number / 10) for number in range(40))


def data_without_length() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for batch in DataLoader(Streaming(), batch_size=5):
        optimizer.zero_grad()
        model(batch).pow(2).mean().backward()
        optimizer.step()
    return ends(model, optimizer)


@dataclass
class Sample:
    """What a collate function may return."""

    words: list[str]
    x: Tensor


class Reader(nn.Module):
    """Takes a sample and returns a sample."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 1)

    def forward(self, *, sample: Sample, extra: object = None) -> Sample:
        return Sample(sample.words, self.inner(sample.x))


def batches_that_are_no_tensors() -> object:
    torch.manual_seed(2)
    model = Reader()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    rows = TensorDataset(torch.randn(40, 4))

    def collate(batch: list[tuple[Tensor]]) -> Sample:
        return Sample(["a"] * len(batch), torch.stack([x for (x,) in batch]))

    for sample in DataLoader(rows, batch_size=4, collate_fn=collate):
        optimizer.zero_grad()
        model(sample=sample, extra={"a": [None, "b"]}).x.pow(2).mean().backward()
        optimizer.step()
    return ends(model, optimizer)


def batches_without_rows() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for rows in (4, 0, 3, 0, 1):
        optimizer.zero_grad()
        model(torch.randn(rows, 4)).sum().backward()
        optimizer.step()
    return ends(model, optimizer)


def another_default_type() -> object:
    torch.set_default_dtype(torch.float64)
    try:
        torch.manual_seed(6)
        model = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(STEPS):
            x = torch.randn(6, 4)
            optimizer.zero_grad()
            functional.l1_loss(model(x), x.sum(1, keepdim=True)).backward()
            optimizer.step()
        return ends(model, optimizer)
    finally:
        torch.set_default_dtype(torch.float32)
