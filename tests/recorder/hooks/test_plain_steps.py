"""Steps between looks take a short way: what is recorded of them is what the long way records."""

import gc
import math
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from tests.promises.tape_reading import Taped, read_tape
from traindx.recorder.fast_path import FastPath
from traindx.recorder.hooks import attachment
from traindx.run import EventKind

STEPS = 60
BATCHES = 15
"""In a pass over the data."""
SELDOM = 1_000
"""Steps between two looks: all but the first two are plain."""


@contextmanager
def recorded(folder: Path, every: int = SELDOM, *, plain: bool = True) -> "Iterator[list[Taped]]":
    """Record what is done here; the recording is in the list afterward."""
    records: list[Taped] = []
    torch.set_num_threads(1)
    torch.manual_seed(0)
    watching = attachment.attach(folder, every=every)
    try:
        yield records
    finally:
        watching.detach()
    (path,) = folder.glob("*.traindx")
    records.append(read_tape(path))
    aside = EventKind.STEPPED_ASIDE.value
    assert [event.says for event in records[0].events if event.kind == aside] == []
    short = plain and every == SELDOM
    assert bool(watching.recorder.fast_path.taken) is short, "plain steps take the short way"


class Training:
    """A model, its optimizer, and what was trained."""

    def __init__(self, rates: tuple[float, ...] = (0.1,)) -> None:
        self.model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
        parts = [list(self.model[0].parameters()), list(self.model[2].parameters())]
        groups = parts if len(rates) == 2 else [parts[0] + parts[1]]
        self.optimizer = torch.optim.SGD(
            [{"params": group, "lr": rate} for group, rate in zip(groups, rates, strict=True)]
        )
        self.losses: list[float] = []

    def loss(self, x: Tensor | None = None) -> Tensor:
        x = torch.randn(6, 4) if x is None else x
        return functional.mse_loss(self.model(x), x.sum(1, keepdim=True))

    def step(self, loss: Tensor) -> None:
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.item())


class Fragile(torch.autograd.Function):
    """Has no gradient."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> Tensor:
        raise NotImplementedError("no gradient")


def _ordinary() -> None:
    training = Training()
    for _ in range(STEPS):
        training.step(training.loss())


def _with_loader_and_schedule() -> None:
    training = Training()
    schedule = torch.optim.lr_scheduler.ExponentialLR(training.optimizer, 0.99)
    loader = DataLoader(TensorDataset(torch.randn(6 * BATCHES, 4)), batch_size=6, shuffle=True)
    for _ in range(STEPS // BATCHES):
        for (x,) in loader:
            training.step(training.loss(x))
            schedule.step()


def _with_accumulation_and_clipping() -> None:
    training = Training(rates=(0.1, 0.2))
    for _ in range(STEPS):
        training.optimizer.zero_grad()
        for _ in range(2):
            (training.loss() / 2).backward()
        nn.utils.clip_grad_norm_(training.model.parameters(), 0.5)
        training.optimizer.step()


def _with_validation() -> None:
    training = Training()
    train = DataLoader(TensorDataset(torch.randn(6 * BATCHES, 4)), batch_size=6)
    val = DataLoader(TensorDataset(torch.randn(12, 4)), batch_size=6)
    for _ in range(STEPS // BATCHES):
        for (x,) in train:
            training.step(training.loss(x))
        with torch.no_grad():
            for (x,) in val:
                training.loss(x)


PROGRAMS = (_ordinary, _with_loader_and_schedule, _with_accumulation_and_clipping, _with_validation)
EXACT = ("train_loss", "learning_rate", "epoch", "val_loss", "clipped_gradient_norm")
"""What does not depend on the clock."""


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__.strip("_") for program in PROGRAMS])
def test_the_short_way_writes_what_the_long_way_writes(
    program: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recorded(tmp_path / "short") as short:
        program()
    monkeypatch.setattr(FastPath, "begin", lambda *_: None)
    with recorded(tmp_path / "looks", every=1) as long:
        program()
    for quantity in EXACT:
        assert short[0].of(quantity) == long[0].of(quantity), quantity
    assert short[0].of("train_loss")


def test_the_times_of_a_plain_step_add_up(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        _with_loader_and_schedule()
    parts = ("data_time", "forward_time", "backward_time", "update_time", "other_time")
    sums = [sum(of_step) for of_step in zip(*(records[0].values(part) for part in parts), strict=True)]
    assert len(sums) == STEPS
    assert all(min(records[0].values(part)) >= 0.0 for part in parts)
    steps = records[0].values("step_time")
    # The first batch of a pass goes the long way, where our own time is taken off.
    plain = [index for index in range(3, STEPS) if index % BATCHES]
    assert [sums[index] for index in plain] == pytest.approx([steps[index] for index in plain])
    walls = records[0].values("wall_time")
    assert walls == sorted(walls)


@pytest.mark.parametrize("every", [1, SELDOM])
def test_a_backward_pass_that_fails_leaves_nothing_in_the_next_step(every: int, tmp_path: Path) -> None:
    with recorded(tmp_path, every) as records:
        training = Training()
        for step in range(STEPS):
            if step % 20 == 15:
                with pytest.raises(NotImplementedError):
                    Fragile.apply(training.loss()).backward()
            training.step(training.loss())
    assert records[0].values("train_loss") == pytest.approx(training.losses, rel=1e-6)
    assert records[0].stated("accumulation") == []


def test_a_bad_loss_is_told_even_if_no_backward_pass_follows(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        training = Training()
        for _ in range(STEPS):
            training.step(training.loss())
        assert math.isnan(training.loss(torch.full((6, 4), math.nan)).item())
    (event,) = [happening for happening in records[0].events if happening.kind == EventKind.NONFINITE.value]
    assert event.step == STEPS + 1


def test_a_bad_loss_is_traced_to_its_batch_and_layer(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        training = Training()
        for step in range(STEPS):
            if step == 40:
                with torch.no_grad():
                    training.model[2].weight[0, 0] = math.inf
            training.step(training.loss())
    (event,) = [happening for happening in records[0].events if happening.kind == EventKind.NONFINITE.value]
    assert (event.step, event.layer) == (41, "2")


def test_a_step_that_leaves_the_short_way_midway_is_counted(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        training = Training()

        def closure() -> float:
            training.optimizer.zero_grad()
            loss = training.loss()
            loss.backward()
            training.losses.append(loss.item())
            if len(training.losses) % 7 == 0:
                with torch.no_grad():
                    training.loss()
            return training.losses[-1]

        for _ in range(STEPS):
            training.optimizer.step(closure)
    assert records[0].values("train_loss") == pytest.approx(training.losses, rel=1e-6)


def test_steps_on_gradients_from_elsewhere_are_counted(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        training = Training()
        parameters = list(training.model.parameters())
        training.step(training.loss())
        for _ in range(STEPS):
            for parameter, gradient in zip(
                parameters, torch.autograd.grad(training.loss(), parameters), strict=True
            ):
                parameter.grad = gradient
            training.optimizer.step()
    assert len(records[0].values("wall_time")) == STEPS + 1
    assert len(records[0].values("train_loss")) == 1


def test_an_optimizer_that_steps_inside_another_is_not_taken_for_it(tmp_path: Path) -> None:
    class Outer(torch.optim.SGD):
        inner: torch.optim.Optimizer

        def step(self, closure: object = None) -> None:
            self.inner.step()

    with recorded(tmp_path, plain=False) as records:
        training = Training()
        outer = Outer(training.model.parameters(), lr=0.3)
        outer.inner, training.optimizer = training.optimizer, outer
        for _ in range(STEPS):
            training.step(training.loss())
    losses = [value for points in records[0].of("train_loss").values() for _, value in points]
    assert losses == pytest.approx(training.losses, rel=1e-6)


def test_data_and_optimizer_of_the_last_plain_step_can_go(tmp_path: Path) -> None:
    with recorded(tmp_path):
        training = Training()
        data = TensorDataset(torch.randn(6 * BATCHES, 4))
        for (x,) in DataLoader(data, batch_size=6):
            training.step(training.loss(x))
        held = [weakref.ref(data), weakref.ref(training.optimizer), weakref.ref(training.model)]
        del training, data
        gc.collect()
        assert [ref() for ref in held] == [None] * 3
