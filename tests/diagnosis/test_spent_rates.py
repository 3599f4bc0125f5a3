"""A schedule that destroys the learning rate early is named first, also where the loss never moved."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR, LambdaLR, LRScheduler, StepLR
from torch.utils.data import DataLoader, TensorDataset

from tests.trainings import clusters, stack
from traindx.curves.facts import batches_per_epoch
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis
from traindx.finding import Finding
from traindx.quantities import LEARNING_RATE
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch
from traindx.report.fix import fix_for
from traindx.run import Run, Series
from traindx.signs.lr import lr_spent_at_once

EPOCHS, BATCH, BATCHES = 30, 16, 15


def train(
    folder: Path, schedule: Callable[[torch.optim.Optimizer], LRScheduler], *, per_batch: bool, rate: float
) -> Diagnosis:
    torch.manual_seed(1)
    data = clusters(apart=2.0)
    net = stack(8, 16, 3)
    loader = DataLoader(TensorDataset(data.inputs, data.targets), BATCH, shuffle=True)
    held = DataLoader(TensorDataset(data.held, data.held_targets), 48)
    compare = nn.CrossEntropyLoss()
    with watch(net, out=folder, name="small", budget=100.0):
        optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=0.9)
        scheduler = schedule(optimizer)
        for _ in range(EPOCHS):
            net.train()
            for inputs, targets in loader:
                loss = compare(net(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if per_batch:
                    scheduler.step()
            if not per_batch:
                scheduler.step()
            net.eval()
            with torch.no_grad():
                for inputs, targets in held:
                    compare(net(inputs), targets)
    (run,) = load(folder)
    return diagnose(run)


def _run(diagnosis: Diagnosis) -> Run:
    assert diagnosis.source is not None
    return diagnosis.source


def halved(optimizer: torch.optim.Optimizer) -> LRScheduler:
    return StepLR(optimizer, 5, 0.5)


def exponential(optimizer: torch.optim.Optimizer) -> LRScheduler:
    return ExponentialLR(optimizer, 0.8)


def zero_from_20(optimizer: torch.optim.Optimizer) -> LRScheduler:
    return LambdaLR(optimizer, lambda step: 1.0 if step < 20 else 0.0)


@pytest.mark.parametrize("schedule", [halved, exponential, zero_from_20])
@pytest.mark.parametrize("rate", [5e-3, 0.02])
def test_a_rate_spent_in_the_first_epochs_is_the_first_cause(
    schedule: Callable[[torch.optim.Optimizer], LRScheduler], rate: float, tmp_path: Path
) -> None:
    diagnosis = train(tmp_path, schedule, per_batch=True, rate=rate)
    assert diagnosis.suspects[0].cause.slug == "lr-decayed-too-early"
    assert diagnosis.suspects[0].confidence > 0.8
    assert batches_per_epoch(_run(diagnosis)) == BATCHES


def test_the_fix_is_the_line_that_steps_the_schedule(tmp_path: Path) -> None:
    diagnosis = train(tmp_path, halved, per_batch=True, rate=5e-3)
    fix = fix_for(diagnosis.suspects[0].cause, _run(diagnosis))
    assert fix is not None
    assert [str(change) for change in fix.changes] == [f"schedule.per_epoch {BATCHES}"]


def test_the_same_schedule_stepped_per_epoch_is_not_accused(tmp_path: Path) -> None:
    diagnosis = train(tmp_path, halved, per_batch=False, rate=0.02)
    assert diagnosis.healthy > 0.5
    assert "lr-decayed-too-early" not in [suspect.cause.slug for suspect in diagnosis.suspects]


def test_zeros_of_a_log_with_few_digits_are_no_end_of_the_rate() -> None:
    def said(peak: float, rest: float) -> object:
        rates = np.array([peak] * 10 + [rest] * 90)
        return lr_spent_at_once(Run("a log", (Series(LEARNING_RATE, np.arange(100.0), rates),)))

    assert said(1e-4, 0.0) is None
    assert isinstance(said(1e-4, 1e-8), Finding)
