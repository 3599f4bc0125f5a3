"""Training rows that are evaluated beside validation rows are no leakage; validation rows that leaked are."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from tests.trainings import clusters, stack
from traindx.causes.train_val_leakage import validation_rows_seen
from traindx.diagnosis.engine import diagnose
from traindx.finding import Finding
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch
from traindx.run import Run

Rows = tuple[Tensor, Tensor]
Evaluation = Callable[[nn.Module, Rows, Rows], None]
TRAINING = 1000


def trained(folder: Path, evaluates: Evaluation, *, leaks: float = 0.0, epochs: int = 12) -> Run:
    """The recording of a training that evaluates after each epoch; it takes its batches as its evaluation."""
    torch.manual_seed(0)
    data = clusters(rows=TRAINING, apart=1.5)
    x, y, held, held_targets = data.inputs, data.targets, data.held.clone(), data.held_targets.clone()
    leaked = torch.randperm(len(held))[: int(leaks * len(held))]
    held[leaked], held_targets[leaked] = x[: len(leaked)], y[: len(leaked)]
    net = stack(8, 16, 3)
    loads, loader = evaluates is loaders_of_both, DataLoader(TensorDataset(x, y), 40, shuffle=True)
    with watch(net, out=folder, name="small", budget=100.0):
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
        for _ in range(epochs):
            net.train()
            order = torch.randperm(len(x))
            batches = zip(x[order].split(40), y[order].split(40), strict=True)
            for inputs, targets in loader if loads else batches:
                loss = functional.cross_entropy(net(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                evaluates(net, (x, y), (held, held_targets))
    (run,) = load(folder)
    return run


def accuracy_of_both(net: nn.Module, training: Rows, held: Rows) -> None:
    (net(training[0]).argmax(1) == training[1]).float().mean()
    functional.cross_entropy(net(held[0]), held[1])


def losses_of_both(net: nn.Module, training: Rows, held: Rows) -> None:
    for inputs, targets in (training, held):
        functional.cross_entropy(net(inputs), targets)


def loaders_of_both(net: nn.Module, training: Rows, held: Rows) -> None:
    for rows in (training, held):
        for inputs, targets in DataLoader(TensorDataset(*rows), 100):
            functional.cross_entropy(net(inputs), targets)


def only_held(net: nn.Module, training: Rows, held: Rows) -> None:
    functional.cross_entropy(net(held[0]), held[1])


EVALUATIONS = [accuracy_of_both, losses_of_both, loaders_of_both]


@pytest.mark.parametrize("evaluates", EVALUATIONS)
def test_the_training_set_evaluated_beside_validation_is_no_leakage(
    evaluates: Evaluation, tmp_path: Path
) -> None:
    run = trained(tmp_path, evaluates)
    assert not isinstance(validation_rows_seen(run), Finding)
    assert "train-val-leakage" not in [suspect.cause.slug for suspect in diagnose(run).suspects]


@pytest.mark.parametrize("evaluates", [accuracy_of_both, losses_of_both, only_held])
def test_rows_that_leaked_are_found_beside_it(evaluates: Evaluation, tmp_path: Path) -> None:
    run = trained(tmp_path, evaluates, leaks=0.5)
    assert isinstance(validation_rows_seen(run), Finding)
    assert diagnose(run).suspects[0].cause.slug == "train-val-leakage"
