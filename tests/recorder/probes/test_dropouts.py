"""Where dropouts stand in real trainings, against what they did to the numbers."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone calls it
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from tests.promises.tape_reading import Scalar, read_tape
from traindx.facts import INPUT_DROPOUT
from traindx.recorder.hooks import attachment
from traindx.recorder.probes.architecture import Dropouts
from traindx.recorder.probes.types import Batch, Dropout, Purpose
from traindx.testing.probe import Written

STEPS = 6
LARGE = 400
"""Predictions of a batch: the share of zeros among them tells the probability."""


class Net(nn.Module):
    """A layer between two dropouts, as modules or as functions."""

    def __init__(self, before: float, after: float, *, functions: bool, always: bool = False) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(6, 8), nn.Linear(8, LARGE)
        self.drops = nn.ModuleList(() if functions else (nn.Dropout(before), nn.Dropout(after)))
        self.before, self.after, self.always = before, after, always
        self.entered = self.gave = torch.zeros(0)

    def forward(self, values: Tensor) -> Tensor:
        self.entered = self._dropped(values, 0)
        self.gave = self._dropped(self.last(torch.relu(self.first(self.entered)) + 1), 1)
        return self.gave.view(-1, LARGE)

    def _dropped(self, values: Tensor, index: int) -> Tensor:
        if self.drops:
            return self.drops[index](values)
        return F.dropout(values, (self.before, self.after)[index], self.training or self.always)


def facts_of(folder: Path, train: Callable[[], object]) -> dict[str, Scalar]:
    watching = attachment.attach(folder, budget=1.0)
    try:
        train()
    finally:
        watching.detach()
    (path,) = folder.glob("*.traindx")
    return {fact: value for (_, fact), value in read_tape(path).facts.items()}


def batches(rows: int) -> DataLoader[tuple[Tensor, ...]]:
    generator = torch.Generator().manual_seed(rows)
    data = TensorDataset(torch.randn(rows, 6, generator=generator) + 9, torch.zeros(rows, LARGE))
    return DataLoader(data, batch_size=8)


def training(model: Net, *, into_eval: bool = True, seen: dict[str, list[float]] | None = None) -> None:
    """Two passes; `seen` gets what the dropouts did, told by the numbers."""
    seen = {} if seen is None else seen
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    validation = batches(32)
    for _ in range(2):
        for inputs, targets in batches(STEPS * 8):
            loss = F.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen.setdefault("output", []).append(float((model.gave == 0).float().mean()))
            seen.setdefault("input", []).append(float((model.entered == 0).float().mean()))
        model.train(not into_eval)
        with torch.no_grad():
            for inputs, targets in validation:
                F.mse_loss(model(inputs), targets)
                differs = bool((model.gave == 0).any() or (model.entered == 0).any())
                seen.setdefault("validation", []).append(float(differs))
        model.train()


@pytest.mark.parametrize("functions", [False, True], ids=["modules", "functions"])
@pytest.mark.parametrize(("before", "after"), [(0.0, 0.0), (0.3, 0.0), (0.0, 0.4), (0.2, 0.5)])
def test_places_are_those_where_zeros_appear(
    before: float, after: float, functions: bool, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    shares: dict[str, list[float]] = {}
    model = Net(before, after, functions=functions)
    facts = facts_of(tmp_path, lambda: training(model, seen=shares))
    for fact, zeros, exactly in (("input_dropout", "input", before), ("output_dropout", "output", after)):
        assert facts[fact] == exactly
        assert sum(shares[zeros]) / len(shares[zeros]) == pytest.approx(exactly, abs=0.08)
    assert facts["dropout_in_validation"] == 0.0 == max(shares["validation"])
    if before or after:
        assert facts["dropout"] == max(before, after)


@pytest.mark.parametrize("functions", [False, True], ids=["modules", "functions"])
def test_dropouts_that_stay_active_in_validation(functions: bool, tmp_path: Path) -> None:
    torch.manual_seed(0)
    shares: dict[str, list[float]] = {}
    model = Net(0.0, 0.4, functions=functions, always=True)
    # A function that is always active needs no train mode; a module does.
    facts = facts_of(tmp_path, lambda: training(model, into_eval=functions, seen=shares))
    assert facts["dropout_in_validation"] == 1.0 == min(shares["validation"])
    assert facts["validated_in_train_mode"] == float(not functions)


def test_a_function_counts_where_it_drops_more_than_any_module(tmp_path: Path) -> None:
    class Both(Net):
        def forward(self, values: Tensor) -> Tensor:
            return super().forward(F.alpha_dropout(values, 0.7, training=self.training))

    facts = facts_of(tmp_path, lambda: training(Both(0.1, 0.2, functions=False)))
    assert facts["dropout"] == 0.7
    assert facts["input_dropout"] == 0.7


def test_a_dropout_between_layers_is_neither(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, LARGE))
    facts = facts_of(tmp_path, lambda: plain(model))
    assert (facts["dropout"], facts["input_dropout"], facts["output_dropout"]) == (0.5, 0.0, 0.0)


@pytest.mark.parametrize("kind", [nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.FeatureAlphaDropout])
def test_dropouts_of_whole_channels(kind: type[nn.Module], tmp_path: Path) -> None:
    dims = {nn.Dropout1d: (LARGE, 1), nn.Dropout2d: (LARGE, 1, 1)}.get(kind, (LARGE, 1, 1, 1))
    model = nn.Sequential(nn.Linear(6, LARGE), nn.Unflatten(1, dims), kind(0.25), nn.Flatten())
    assert facts_of(tmp_path, lambda: plain(model))["output_dropout"] == 0.25


def test_a_softmax_after_the_dropout_hides_nothing(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(6, LARGE), nn.Dropout(0.5), nn.Softmax(1))
    assert facts_of(tmp_path, lambda: plain(model))["output_dropout"] == 0.5


def plain(model: nn.Module) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for inputs, targets in batches(STEPS * 8):
        optimizer.zero_grad()
        F.mse_loss(model(inputs), targets).backward()
        optimizer.step()


def test_other_memory_is_not_the_input() -> None:
    probe, snapshot = Dropouts(), Written()
    inputs, other = torch.randn(8, 6), torch.randn(8, 6)
    probe.dropout_is_applied(snapshot, Dropout(0.5, other, other.clone()))
    probe.batch_enters(snapshot, Batch([inputs], Purpose.TRAINING, 1))
    assert snapshot.facts == {INPUT_DROPOUT: 0.0}


def test_a_teacher_that_drops_is_no_validation(tmp_path: Path) -> None:
    model, teacher = (nn.Sequential(nn.Linear(6, LARGE), nn.Dropout(0.5)) for _ in range(2))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

    def train() -> None:
        for _ in range(STEPS):
            inputs = torch.randn(8, 6)
            with torch.no_grad():
                taught = teacher(inputs)
            optimizer.zero_grad()
            F.mse_loss(model(inputs), taught).backward()
            optimizer.step()

    facts = facts_of(tmp_path, train)
    assert "dropout_in_validation" not in facts
    assert facts["output_dropout"] == 0.5
