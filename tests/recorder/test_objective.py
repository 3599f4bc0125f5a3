"""The loss of a step is that of the backward passes behind it."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

import torch

from traindx.recorder.hooks.torch_backend import TorchBackend
from traindx.recorder.looks import Notebook
from traindx.recorder.objective import Objective
from traindx.recorder.tape import Tape

if TYPE_CHECKING:
    from torch import Tensor


def _objective(*losses: float, looked_at: bool = False) -> Objective:
    objective = Objective(TorchBackend())
    for loss in losses:
        objective.add(torch.tensor(loss), looked_at=looked_at)
    return objective


def _stated(objective: Objective, folder: Path) -> dict[str, object]:
    tape = Tape()
    tape.open(folder / "rank-0", {})
    objective.learn(Notebook(tape, 1))
    tape.flush()
    assert tape._database is not None
    stated = dict(tape._database.execute("SELECT slug, value FROM facts").fetchall())
    tape.close()
    return stated


def test_batches_of_one_line_are_averaged() -> None:
    assert _objective(1.0, 3.0).of_step() == 2.0


def test_a_loss_that_is_no_number_is_left_out() -> None:
    objective = _objective()
    assert objective.add(torch.ones(2), looked_at=True) is None
    assert objective.of_step() is None


@pytest.mark.parametrize(("loss", "left"), [(torch.tensor(3.0), 1.0), (torch.ones(2), 2.0)])
def test_a_backward_pass_that_failed_is_taken_back(loss: "Tensor", left: float) -> None:
    objective = _objective(1.0, 3.0)
    objective.take_back(loss)
    assert objective.of_step() == left


def test_nothing_can_be_taken_back_twice() -> None:
    objective = _objective(1.0)
    for _ in range(2):
        objective.take_back(torch.tensor(1.0))
    assert objective.of_step() is None


def test_a_pass_that_failed_is_no_batch_of_the_step(tmp_path: Path) -> None:
    objective = _objective(1.0, 3.0, looked_at=True)
    objective.take_back(torch.tensor(3.0))
    assert _stated(objective, tmp_path)["backwards_per_step"] == "1"
