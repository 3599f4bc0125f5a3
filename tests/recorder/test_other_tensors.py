"""Libraries with optimizers, tensors and batches of their own classes are recorded as torch's are."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.trainings import numbers, stack
from traindx.facts import LEARNING_RATE, OPTIMIZER, WEIGHT_DECAY
from traindx.quantities import INPUT_STD, TARGET_STD, TRAIN_LOSS
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch

STEPS = 40


class Labeled(Tensor):
    """A subclass without a dispatch of its own."""


@dataclass
class Rows:
    features: Tensor


class Own:
    """An optimizer that does not build on torch's."""

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float) -> None:
        self.parameters, self.lr = list(parameters), lr

    @property
    def param_groups(self) -> list[dict[str, object]]:
        return [{"params": self.parameters, "lr": self.lr, "wd": 0.25}]

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def step(self) -> None:
        for parameter in self.parameters:
            parameter.data.add_(torch.as_tensor(parameter.grad), alpha=-self.lr)


class TakesRows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = stack(8, 16, 1)

    def forward(self, rows: Rows) -> Tensor:
        return torch.as_tensor(self.inner(rows.features))


def test_they_are_recorded(tmp_path: Path) -> None:
    torch.manual_seed(0)
    data, net = numbers(), TakesRows()
    optimizer = Own(net.parameters(), lr=0.01)
    with watch(net, out=tmp_path, name="small"):
        for _ in range(STEPS):
            loss = functional.mse_loss(net(Rows(data.inputs)), data.targets.as_subclass(Labeled))
            optimizer.zero_grad()
            loss.as_subclass(Labeled).backward()  # type: ignore[no-untyped-call]  # torch says nothing
            optimizer.step()
    (run,) = load(tmp_path)
    assert len(run[TRAIN_LOSS]) == STEPS
    stated = [run.facts.get(fact) for fact in (OPTIMIZER, LEARNING_RATE, WEIGHT_DECAY)]
    assert stated == ["Own", 0.01, 0.25]
    assert run.all(INPUT_STD)
    assert run.all(TARGET_STD)
