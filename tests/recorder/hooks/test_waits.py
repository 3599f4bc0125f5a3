"""Values that a program takes out of tensors are counted at looks, and nothing is in the way between them."""

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.promises.tape_reading import Taped, read_tape
from tests.recorder.hooks.own_methods import own_methods
from traindx.recorder.hooks import attachment
from traindx.run import EventKind

OWN = own_methods()
SELDOM = 1_000


@contextmanager
def recorded(folder: Path, every: int = 1) -> "Iterator[list[Taped]]":
    records: list[Taped] = []
    torch.manual_seed(0)
    watching = attachment.attach(folder, every=every)
    try:
        yield records
    finally:
        watching.detach()
    assert own_methods() == OWN
    (path,) = folder.glob("*.traindx")
    records.append(read_tape(path))
    assert EventKind.STEPPED_ASIDE.value not in records[0].kinds()


def train(read: Callable[[Tensor], object], steps: int = 6, kind: type = torch.optim.Adam) -> None:
    """Train, and read something after each step."""
    model = nn.Linear(4, 1)
    optimizer = kind(model.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        loss = functional.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1))
        loss.backward()
        optimizer.step()
        read(loss.detach())


WAYS: dict[str, tuple[Callable[[Tensor], object], int]] = {
    "item": (lambda loss: loss.item(), 1),
    "float": (float, 1),
    "int": (int, 1),
    "bool": (lambda loss: loss > 0 and loss.item(), 2),
    "tolist": (lambda loss: loss.tolist(), 1),
    "numpy": (lambda loss: loss.numpy(), 1),
    "cpu that is there already": (lambda loss: loss.cpu(), 0),
    "many": (lambda loss: [loss.item() for _ in range(200)], 200),
    "none": (lambda loss: None, 0),
}


@pytest.mark.parametrize("way", WAYS)
def test_reads_are_counted(way: str, tmp_path: Path) -> None:
    read, count = WAYS[way]
    with recorded(tmp_path) as records:
        train(read)
    assert records[0].stated("reads_per_step") == [count]
    times = records[0].values("read_time")
    assert len(times) == 5, "all but the first step, before which a program may do anything"
    assert all((time > 0) is bool(count) for time in times)
    places = records[0].stated("read_place")
    assert len(places) == bool(count)
    assert all("test_waits.py:" in str(location) for location in places)


def test_the_line_that_reads_most_is_told(tmp_path: Path) -> None:
    def read(loss: Tensor) -> None:
        loss.item()
        for _ in range(20):
            loss.item()  # most

    with recorded(tmp_path) as records:
        train(read)
    lines = Path(__file__).read_text().splitlines()
    (line,) = [number for number, text in enumerate(lines, start=1) if text.endswith("# most")]
    (location,) = records[0].stated("read_place")
    assert str(location).endswith(f"test_waits.py:{line}")


def test_nothing_is_replaced_between_looks(tmp_path: Path) -> None:
    replaced: list[bool] = []
    with recorded(tmp_path, every=SELDOM):
        train(lambda loss: replaced.append("item" not in vars(Tensor)), steps=30)
    assert all(replaced[3:])


def test_what_raises_raises_as_it_does(tmp_path: Path) -> None:
    messages: list[str] = []

    def read(_: Tensor) -> None:
        try:
            torch.ones(2).item()
        except RuntimeError as error:
            messages.append("".join(traceback.format_exception(error)))

    with recorded(tmp_path):
        train(read)
    train(read, steps=1)
    assert len(set(messages)) == 1


def test_a_compiler_finds_torchs_own_methods(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        torch.compile(lambda x: x, backend="eager")
        train(lambda loss: loss.item())
    assert records[0].stated("reads_per_step") == []
