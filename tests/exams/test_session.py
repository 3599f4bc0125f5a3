"""An exam is a recording of one batch: the same figures, and nothing is left behind."""

import tempfile
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import dropout

import traindx
from tests.exams import zoo
from traindx import exams
from traindx.exams.batch import presented
from traindx.exams.session import ModelSession
from traindx.facts import OUTPUT_DROPOUT
from traindx.quantities import ACTIVATION_MEAN, ACTIVATION_STD, GRADIENT_NORM, TRAIN_LOSS, WEIGHT_NORM
from traindx.recorder.probes.activations import Activations
from traindx.recorder.probes.types import Batch, Probe, Snapshot
from traindx.run import Quantity, Run


def figures(run: Run, quantity: Quantity) -> dict[str, float]:
    return {series.layer: float(series.values[0]) for series in run.all(quantity)}


@pytest.mark.parametrize("name", ["regression", "resnet", "gru", "transformer"])
def test_an_exam_measures_what_a_recording_does(name: str, tmp_path: Path) -> None:
    case = zoo.made(name)
    torch.manual_seed(4)
    examined = exams.gradients(case.model, case.batch, case.loss).run
    torch.manual_seed(4)
    optimizer = torch.optim.SGD(case.model.parameters(), lr=0.01)
    assert isinstance(case.batch, tuple)
    inputs, targets = case.batch
    with traindx.watch(case.model, optimizer, out=tmp_path) as watch:
        output = case.model(inputs)
        if output.shape == targets.shape:
            loss = functional.mse_loss(output, targets)
        else:
            loss = functional.cross_entropy(output.flatten(0, -2), targets.flatten())
        loss.backward()
        optimizer.step()
    assert watch.path is not None
    recorded = traindx.load(watch.path)[0]
    for quantity in (TRAIN_LOSS, GRADIENT_NORM, WEIGHT_NORM, ACTIVATION_MEAN, ACTIVATION_STD):
        assert figures(examined, quantity) == pytest.approx(figures(recorded, quantity), rel=1e-4, abs=1e-7)


def test_a_probe_that_fails_is_told_and_ends_nothing() -> None:
    class Failing(Probe):
        def batch_enters(self, look: Snapshot, batch: Batch) -> None:
            raise ValueError("what is this")

    model = nn.Linear(4, 2)
    with ModelSession(model, [Failing(), Activations()]) as session:
        session.end_step(session.forward(presented(torch.randn(8, 4), model)))
        run = session.run("failing", with_gradients=False)
    assert len(session.notes) == 1
    assert "Failing" in session.notes[0]
    assert "what is this" in session.notes[0]
    assert ACTIVATION_MEAN in run


def test_a_dropout_that_was_imported_by_its_name_is_heard() -> None:
    class Dropping(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 3)

        def forward(self, x: Tensor) -> Tensor:
            return dropout(self.layer(x), 0.25, self.training)

    batch = (torch.randn(32, 4), torch.randint(0, 3, (32,)))
    exam = exams.model(Dropping(), batch, functional.cross_entropy)
    assert exam.run.facts[OUTPUT_DROPOUT] == 0.25


def test_what_the_loss_calls_is_no_part_of_the_model() -> None:
    critic = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1))
    model = nn.Sequential(nn.Linear(4, 3))
    exam = exams.gradients(
        model, (torch.randn(32, 4), torch.ones(32, 1)), lambda out, aim: (critic(out) - aim).mean()
    )
    assert {series.layer for series in exam.run.all(ACTIVATION_MEAN)} == {"0"}
    assert [layer.name for layer in exam.run.model] == ["0.weight", "0.bias"]


def test_no_recording_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = nn.Module.__call__
    batch = (torch.randn(32, 4), torch.randint(0, 3, (32,)))
    exams.model(nn.Linear(4, 3), batch, "cross_entropy")
    with pytest.raises(traindx.TraindxError):
        exams.gradients(nn.Linear(5, 3), batch)
    assert list(tmp_path.iterdir()) == []
    assert nn.Module.__call__ is before
