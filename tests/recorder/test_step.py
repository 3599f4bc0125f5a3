"""The parts of a step add up to its whole."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from traindx.recorder.hooks.torch_backend import TorchBackend
from traindx.recorder.recording_writer import RecordingWriter
from traindx.recorder.sampling import Notebook
from traindx.recorder.step import Objective, StepTimes

if TYPE_CHECKING:
    from torch import Tensor


def test_a_step_with_a_loader() -> None:
    times = StepTimes(mark=0.0, began=0.0)
    times.fetched(now=2.0, seconds=1.5)
    times.backward_begins(5.0)
    times.backward_ends(9.0)
    times.update_begins(9.5)
    (wall, step, backward, update), (waited, forward, other) = times.finish(10.0)
    assert (wall, step, backward, update, waited, forward) == (10.0, 10.0, 4.0, 0.5, 1.5, 3.0)
    assert waited + forward + backward + update + other == pytest.approx(step)


def test_two_batches_behind_one_step() -> None:
    times = StepTimes(mark=0.0, began=0.0)
    for begin in (0.0, 4.0):
        times.fetched(now=begin + 1, seconds=1.0)
        times.backward_begins(begin + 2)
        times.backward_ends(begin + 4)
    times.update_begins(8.0)
    (_, step, backward, update), (waited, forward, other) = times.finish(9.0)
    assert (step, backward, update, waited, forward, other) == (9.0, 4.0, 1.0, 2.0, 2.0, 0.0)


def test_without_a_loader_forward_cannot_be_told() -> None:
    times = StepTimes(mark=0.0, began=0.0)
    times.backward_begins(3.0)
    times.backward_ends(4.0)
    times.update_begins(4.0)
    plain, loader = times.finish(5.0)
    assert plain == (5.0, 5.0, 1.0, 1.0)
    assert loader == ()


def test_validation_in_between_is_left_out() -> None:
    times = StepTimes(mark=0.0, began=0.0)
    times.fetched(now=50.0, seconds=3.0)
    times.left_out(60.0)
    times.fetched(now=61.0, seconds=1.0)
    times.backward_begins(62.0)
    times.backward_ends(63.0)
    times.update_begins(63.0)
    (wall, step, _, _), (waited, forward, _) = times.finish(64.0)
    assert (wall, step, waited, forward) == (64.0, 4.0, 1.0, 1.0)


pytest.importorskip("torch")


def _objective(*losses: float, looked_at: bool = False) -> Objective:
    objective = Objective(TorchBackend())
    for loss in losses:
        objective.add(torch.tensor(loss), looked_at=looked_at)
    return objective


def _stated(objective: Objective, folder: Path) -> dict[str, object]:
    writer = RecordingWriter()
    writer.open(folder / "rank-0", {})
    objective.learn(Notebook(writer, 1))
    writer.flush()
    assert writer._database is not None
    stated = dict(writer._database.execute("SELECT slug, value FROM facts").fetchall())
    writer.close()
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
