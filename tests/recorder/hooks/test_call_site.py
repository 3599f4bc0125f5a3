"""Lines of the program: where it makes its loader, its schedule and its model, and where it clips."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset

from tests.promises.tape_reading import Taped, read_tape
from traindx.recorder.hooks import attachment
from traindx.recorder.hooks.call_site import class_place, model_place
from traindx.run import EventKind


class Net(nn.Module):
    """A model of the program."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


class Bare(nn.Linear):
    """A class without a method of its own."""


@contextmanager
def recorded(folder: Path) -> "Iterator[list[Taped]]":
    records: list[Taped] = []
    watching = attachment.attach(folder)
    try:
        yield records
    finally:
        watching.detach()
    (path,) = folder.glob("*.traindx")
    records.append(read_tape(path))
    assert EventKind.STEPPED_ASIDE.value not in records[0].kinds()


def line(text: str) -> int:
    """The line of this file that holds a text, once."""
    lines = Path(__file__).read_text().splitlines()
    (match,) = [number for number, code in enumerate(lines, start=1) if code.endswith(f"# {text}")]
    return match


def at(writer: Taped, slug: str) -> int:
    (stated,) = writer.stated(slug)
    file, number = str(stated).rsplit(":", 1)
    assert Path(file).resolve() == Path(__file__).resolve()
    return int(number)


def test_loader_schedule_clipping_and_model(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        data = TensorDataset(torch.randn(32, 4))
        DataLoader(data, batch_size=32)
        loader = DataLoader(data, batch_size=8)  # loader
        model = Net()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        lr_scheduler.StepLR(optimizer, 5)
        schedule = lr_scheduler.ExponentialLR(optimizer, 0.9)  # schedule
        for (x,) in loader:
            optimizer.zero_grad()
            functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # clip
            optimizer.step()
            schedule.step()
    assert at(records[0], "loader_place") == line("loader")
    assert at(records[0], "schedule_place") == line("schedule")
    assert at(records[0], "clip_place") == line("clip")
    assert at(records[0], "model_place") == inspect.getsourcelines(Net)[1]


def test_what_is_not_there_is_not_told(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        model = nn.Sequential(nn.Linear(4, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        lr_scheduler.StepLR(optimizer, 5)
        for _ in range(3):
            functional.mse_loss(model(torch.ones(2, 4)), torch.ones(2, 1)).backward()
            optimizer.step()
    for slug in ("loader_place", "schedule_place", "clip_place", "model_place"):
        assert records[0].stated(slug) == []


def test_values_are_clipped_and_plateaus_are_schedules_too(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        model = nn.DataParallel(Net())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        plateau = lr_scheduler.ReduceLROnPlateau(optimizer)  # plateau
        for _ in range(3):
            functional.mse_loss(model(torch.ones(2, 4)), torch.ones(2, 1)).backward()
            nn.utils.clip_grad_value_(model.parameters(), 1.0)  # values
            optimizer.step()
        plateau.step(1.0)
    assert at(records[0], "schedule_place") == line("plateau"), "told when the recorder leaves"
    assert at(records[0], "clip_place") == line("values")
    assert at(records[0], "model_place") == inspect.getsourcelines(Net)[1], "what is wrapped"


def test_a_loader_that_a_library_makes_over_again_stays_where_it_was_made(tmp_path: Path) -> None:
    library = compile(
        "def again(loader, kind): return kind(loader.dataset, batch_size=4)", "/x/site-packages/y.py", "exec"
    )
    names: dict[str, object] = {}
    exec(library, names)
    again = names["again"]
    assert callable(again)
    with recorded(tmp_path) as records:
        loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=8)  # first
        model = Net()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for (x,) in again(loader, DataLoader):
            functional.mse_loss(model(x), torch.ones(4, 1)).backward()
            optimizer.step()
    assert at(records[0], "loader_place") == line("first")


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_a_scripted_model_has_no_place() -> None:
    assert model_place([torch.jit.script(Net())]) == {}


def test_classes_of_libraries_and_classes_without_code_have_no_place() -> None:
    assert class_place(nn.Linear) == ""
    assert class_place(Bare) == ""
