"""Training and validation loss are compared only where they are the same function with the same unit."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.nn import functional

from tests.trainings import numbers, stack
from traindx.facts import LOSSES_DIFFER
from traindx.finding import CANNOT_TELL
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch
from traindx.run import Run
from traindx.signs.generalization_gap import gap_widens
from traindx.signs.validation import validation_below_train

Loss = Callable[[Tensor, Tensor], Tensor]


def mean(prediction: Tensor, target: Tensor) -> Tensor:
    return functional.mse_loss(prediction, target)


def summed(prediction: Tensor, target: Tensor) -> Tensor:
    return functional.mse_loss(prediction, target, reduction="sum")


def each(prediction: Tensor, target: Tensor) -> Tensor:
    return functional.mse_loss(prediction, target, reduction="none").mean()


def absolute(prediction: Tensor, target: Tensor) -> Tensor:
    return functional.l1_loss(prediction, target)


def with_penalty(prediction: Tensor, target: Tensor) -> Tensor:
    return functional.mse_loss(prediction, target) + 0.1 * prediction.abs().mean()


def of_two(prediction: Tensor, target: Tensor) -> Tensor:
    return functional.mse_loss(prediction, target) + functional.l1_loss(prediction, target)


def trained(folder: Path, trains: Loss, validates: Loss, batches: int = 1) -> Run:
    torch.manual_seed(0)
    data = numbers()
    net = stack(8, 16, 1)
    with watch(net, out=folder, name="small"):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
        for step in range(60):
            optimizer.zero_grad()
            for _ in range(batches):
                rows = torch.randint(0, len(data.inputs), (32,))
                (trains(net(data.inputs[rows]), data.targets[rows]) / batches).backward()
            optimizer.step()
            if step % 5 == 4:
                with torch.no_grad():
                    validates(net(data.held), data.held_targets)
    (run,) = load(folder)
    return run


@pytest.mark.parametrize(
    ("trains", "validates", "batches"),
    [(mean, mean, 1), (mean, mean, 3), (each, mean, 1), (mean, summed, 1)],
)
def test_the_same_loss_is_compared(trains: Loss, validates: Loss, batches: int, tmp_path: Path) -> None:
    run = trained(tmp_path, trains, validates, batches)
    assert run.facts[LOSSES_DIFFER] == ""
    assert validation_below_train(run) is not CANNOT_TELL


@pytest.mark.parametrize(
    ("trains", "validates", "why"),
    [
        (summed, mean, "the training loss is a sum over the batch, the validation loss a mean"),
        (absolute, mean, "training uses l1_loss, validation mse_loss"),
        (with_penalty, mean, "the training loss is not mse_loss alone: it has more terms, or a factor"),
        (of_two, absolute, "the training loss is not l1_loss alone: it has more terms, or a factor"),
    ],
)
def test_losses_of_other_units_are_not_compared(
    trains: Loss, validates: Loss, why: str, tmp_path: Path
) -> None:
    run = trained(tmp_path, trains, validates)
    assert run.facts[LOSSES_DIFFER] == why
    assert f"training and validation loss are not compared: {why}" in run.notes
    assert validation_below_train(run) is CANNOT_TELL
    assert gap_widens(run) is CANNOT_TELL
