"""What observers see inside programs, and leave beside the recording."""

import json
import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional

from traindx.changes.live import length, modes
from traindx.changes.live.program import Program

HEAD = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
from types import SimpleNamespace

args = SimpleNamespace(epochs=5)
config = {"epochs": 3}
data = TensorDataset(torch.randn(20, 2))
loader = DataLoader(data, 8)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

class Config:
    epochs = 4

def step(rows=torch.randn(4, 2)):
    optimizer.zero_grad()
    model(rows).sum().backward()
    optimizer.step()

def epoch(loader):
    for number, (rows,) in enumerate(loader):
        step(rows)
"""


@contextmanager
def observed(folder: Path) -> Iterator[Program]:
    program = Program(folder, None)
    length.begin(program)
    try:
        yield program
    finally:
        program.patches.undo()


@pytest.mark.parametrize(
    ("loop", "told"),
    [
        ("for i in range(7): step()", {"times": [7], "round": 1}),
        ("for e in range(args.epochs): epoch(loader)", {"times": [5, 3], "round": 3}),
        ("for e in range(1, Config.epochs + 1): epoch(loader)", {"times": [4, 3], "round": 3}),
        ('for e in range(config["epochs"]): epoch(loader)', {"times": [3, 3], "round": 3}),
        (
            "for e in range(2):\n    for b in torch.randperm(20).split(5): step()",
            {"times": [2, None], "round": 4},
        ),
        ("for i in range(0, len(data), 8): step()", {"times": [3], "round": 1}),
        ("e = 0\nwhile e < 2:\n    e += 1\n    epoch(loader)", {"times": [None, 3]}),
        ("step()", {"times": []}),
        ("for e in [1]:\n    (lambda: step())()", {"times": [1]}),
    ],
)
def test_the_loops_around_a_step_are_read(loop: str, told: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(f"{HEAD}\n{loop}\n")
    with observed(tmp_path):
        runpy.run_path(str(tmp_path / "train.py"))
    assert json.loads((tmp_path / "length.json").read_text()) == told


class Model(nn.Module):
    """A model whose modes may differ in several ways."""

    def __init__(self, *inside: nn.Module, drops: bool = False, draws: bool = False) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), *inside, nn.Linear(8, 2))
        self.drops, self.draws = drops, draws

    def forward(self, rows: Tensor, *, scale: float = 1.0) -> dict[str, Tensor]:
        outputs = self.layers(rows) * scale
        outputs = functional.dropout(outputs, 0.5) if self.drops else outputs
        outputs = outputs + torch.randn_like(outputs) if self.draws else outputs
        return {"logits": outputs, "loss": outputs.sum()}


def compared(model: nn.Module, folder: Path, passes: int = 60) -> dict[str, float]:
    """What the observer finds after a few calls of a model."""
    program = Program(folder, None)
    calls: dict[int, modes.Call] = {}
    modes._remember(program, calls)
    torch.manual_seed(0)
    rows = 3 + 2 * torch.randn(16, 4)
    try:
        for _ in range(passes):
            model(rows, scale=2.0)
        before = {name: value.clone() for name, value in model.state_dict().items()}
        state = torch.get_rng_state()
        differences = modes._compared(calls)
    finally:
        program.patches.undo()
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    assert model.training
    return differences  # type: ignore[return-value]


def test_plain_models_and_dropout_mean_the_same_in_both_modes(tmp_path: Path) -> None:
    differences = compared(Model(nn.ReLU(), nn.Dropout(0.5)), tmp_path)
    assert (differences["differs"], differences["random_in_train"], differences["dropped_in_eval"]) == (
        0,
        0,
        0,
    )


def test_running_averages_that_fit_differ_little_and_those_that_lag_much(tmp_path: Path) -> None:
    fitting = compared(Model(nn.BatchNorm1d(8), nn.ReLU()), tmp_path)
    lagging = compared(Model(nn.BatchNorm1d(8, momentum=0.001), nn.ReLU()), tmp_path)
    assert fitting["differs"] < 0.1 < 0.5 < lagging["differs"]
    assert fitting["norms"] == lagging["norms"] == 1


def test_dropout_and_random_numbers_in_eval_mode_are_seen(tmp_path: Path) -> None:
    dropping = compared(Model(drops=True), tmp_path)
    assert dropping["dropped_in_eval"] == 2
    assert dropping["random_in_eval"] == 0
    assert compared(Model(draws=True), tmp_path)["random_in_eval"] > 0.1


def test_a_model_that_cannot_be_called_again_says_so(tmp_path: Path) -> None:
    class Once(Model):
        called = 0

        def forward(self, rows: Tensor, *, scale: float = 1.0) -> dict[str, Tensor]:
            self.called += 1
            if self.called > 1:
                raise RuntimeError("only once")
            return super().forward(rows, scale=scale)

    assert "only once" in str(compared(Once(), tmp_path, passes=1)["problem"])
