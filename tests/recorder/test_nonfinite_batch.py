"""The batch of the first loss that is not finite is looked at, also where no look was due."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.trainings import clusters, numbers, stack
from traindx.quantities import (
    INPUT_NONFINITE_SHARE,
    PREDICTION_NONFINITE_SHARE,
    TARGET_NONFINITE_SHARE,
    TRAIN_LOSS,
)
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch
from traindx.run import Quantity, Run

BAD, STEPS = 30, 45
"""No look is due at step 30."""
Loss = Callable[[Tensor, Tensor], Tensor]


def by_hand(prediction: Tensor, target: Tensor) -> Tensor:
    return ((prediction - target) ** 2).mean()


def by_function(prediction: Tensor, target: Tensor) -> Tensor:
    # Found when it is called: a name that was bound before recording began is torch's own.
    return functional.mse_loss(prediction, target)


def trained(folder: Path, spoils: Callable[[Tensor, Tensor], None], loss_of: Loss, *, stops: bool) -> Run:
    torch.manual_seed(0)
    data = numbers()
    net = stack(8, 16, 1)
    with watch(net, out=folder, name="small"):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        for step in range(1, STEPS + 1):
            rows = torch.randint(0, len(data.inputs), (32,))
            inputs, targets = data.inputs[rows], data.targets[rows]
            if step == BAD:
                spoils(inputs, targets)
            loss = loss_of(net(inputs), targets)
            if stops and not math.isfinite(loss.item()):
                break
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    (run,) = load(folder)
    return run


def spoil_input(inputs: Tensor, targets: Tensor) -> None:
    inputs[3, 2] = torch.nan


def spoil_target(inputs: Tensor, targets: Tensor) -> None:
    targets[5] = torch.inf


def at_the_bad_step(run: Run, quantity: Quantity) -> float:
    series = run[quantity]
    assert series is not None
    return float(series.values[series.steps == BAD][0])


@pytest.mark.parametrize(("loss_of", "stops"), [(by_function, False), (by_function, True), (by_hand, False)])
def test_inputs_are_seen(loss_of: Loss, stops: bool, tmp_path: Path) -> None:
    run = trained(tmp_path, spoil_input, loss_of, stops=stops)
    assert at_the_bad_step(run, INPUT_NONFINITE_SHARE) == pytest.approx(1 / (32 * 8))


@pytest.mark.parametrize("stops", [False, True])
def test_targets_and_outputs_are_seen(stops: bool, tmp_path: Path) -> None:
    run = trained(tmp_path, spoil_target, by_function, stops=stops)
    assert at_the_bad_step(run, TARGET_NONFINITE_SHARE) == pytest.approx(1 / 32)
    assert at_the_bad_step(run, PREDICTION_NONFINITE_SHARE) == 0.0
    assert at_the_bad_step(run, INPUT_NONFINITE_SHARE) == 0.0


def test_steps_that_are_looked_at_stay_as_they_are(tmp_path: Path) -> None:
    spoiled = trained(tmp_path / "spoiled", spoil_target, by_function, stops=False)
    whole = trained(tmp_path / "whole", lambda inputs, targets: None, by_function, stops=False)
    looked = {run is spoiled: set(run[TARGET_NONFINITE_SHARE].steps) for run in (spoiled, whole)}
    assert looked[True] == looked[False] | {BAD}
    assert len(spoiled[TRAIN_LOSS]) == len(whole[TRAIN_LOSS]) == STEPS


def test_a_class_loss_is_looked_at_as_well(tmp_path: Path) -> None:
    data = clusters()
    net = stack(8, 16, 3)
    with watch(net, out=tmp_path, name="small"):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        for step in range(1, STEPS + 1):
            if step == BAD:
                nn.init.constant_(net[0].weight, torch.inf)
            loss = functional.cross_entropy(net(data.inputs), data.targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    (run,) = load(tmp_path)
    assert at_the_bad_step(run, PREDICTION_NONFINITE_SHARE) > 0.5
    assert at_the_bad_step(run, INPUT_NONFINITE_SHARE) == 0.0
