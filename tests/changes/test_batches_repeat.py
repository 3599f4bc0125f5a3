"""The same batch at every step, from loaders and without them."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from tests.changes.changing import changed, notes
from traindx.recorder.hooks.monkeypatch import Patches

ROWS = torch.arange(40.0).reshape(20, 2)


class Seeing(nn.Module):
    """A model that keeps what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.given: list[Tensor] = []

    def forward(self, rows: Tensor) -> Tensor:
        if self.training:
            self.given.append(rows.clone())
        return self.layer(rows)


def test_every_epoch_is_as_long_as_before_and_gives_one_batch(tmp_path: Path) -> None:
    with changed(tmp_path, "batches.repeat"):
        loader = DataLoader(TensorDataset(ROWS), 6, shuffle=True)
        batches = [batch for _ in range(2) for (batch,) in loader]
    assert len(batches) == 8
    assert all(torch.equal(batch, batches[0]) for batch in batches)
    batches[0].zero_()
    assert batches[1].any(), "what the program writes into a batch must not come again"
    assert notes(tmp_path)[0]["applied"]


def test_a_loader_that_is_made_anew_gives_the_same_batch(tmp_path: Path) -> None:
    data = TensorDataset(ROWS)
    with changed(tmp_path, "batches.repeat"):
        firsts = [next(iter(DataLoader(data, 6, shuffle=True)))[0] for _ in range(3)]
    assert all(torch.equal(batch, firsts[0]) for batch in firsts)


def sliced(model: Seeing, *, by_hand: bool = False, whole: bool = False) -> list[Tensor]:
    """A loop that takes its rows itself; the last slice of an epoch is shorter."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    targets = []
    for _ in range(2):
        for rows in [torch.arange(20)] if whole else torch.arange(20).split(8):
            wanted = ROWS[rows].sum(1, keepdim=True)
            outputs = model(ROWS[rows])
            loss = (
                (outputs - wanted).square().mean() if by_hand else functional.mse_loss(outputs, target=wanted)
            )
            assert outputs.shape == wanted.shape
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            targets.append(wanted)
    return targets


def test_without_a_loader_inputs_and_targets_are_held(tmp_path: Path) -> None:
    model = Seeing()
    with changed(tmp_path, "batches.repeat"):
        sliced(model)
    assert [len(tensor) for tensor in model.given] == [8, 8, 4, 8, 8, 4]
    assert all(torch.equal(tensor, ROWS[: len(tensor)]) for tensor in model.given)
    assert [note["says"] for note in notes(tmp_path)] == ["every step uses the inputs and targets of step 1"]


def test_what_records_the_program_sees_the_held_targets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tensors: list[Tensor] = []

    def recording(original: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def loss(value: Tensor, target: Tensor) -> Tensor:
            tensors.append(target.clone())
            return original(value, target)

        return loss

    monkeypatch.setattr(functional, "mse_loss", functional.mse_loss)
    with changed(tmp_path, "batches.repeat"):
        # As in an arm: the recorder comes after the change.
        Patches().replace(functional, "mse_loss", recording)
        sliced(Seeing())
    assert len(tensors) == 6
    assert all(torch.equal(tensor, tensors[0][: len(tensor)]) for tensor in tensors)


def test_a_loss_by_hand_without_a_loader_is_refused(tmp_path: Path) -> None:
    with changed(tmp_path, "batches.repeat"):
        sliced(Seeing(), by_hand=True)
    (note,) = notes(tmp_path)
    assert not note["applied"]
    assert "hand-written" in str(note["says"])


def test_a_program_that_takes_all_rows_at_every_step_is_held_already(tmp_path: Path) -> None:
    with changed(tmp_path, "batches.repeat"):
        sliced(Seeing(), by_hand=True, whole=True)
    (note,) = notes(tmp_path)
    assert note["applied"]
    assert note["says"] == "every step already uses the same rows"


def test_inputs_that_are_differentiated_are_refused(tmp_path: Path) -> None:
    model = Seeing()
    with changed(tmp_path, "batches.repeat"):
        functional.mse_loss(model(ROWS.clone().requires_grad_()), ROWS[:, :1]).backward()
    (note,) = notes(tmp_path)
    assert not note["applied"]


def test_everything_is_put_back(tmp_path: Path) -> None:
    with changed(tmp_path, "batches.repeat"):
        next(iter(DataLoader(TensorDataset(ROWS), 6)))
    batches = [batch for (batch,) in DataLoader(TensorDataset(ROWS), 6)]
    assert torch.equal(torch.cat(batches), ROWS)
