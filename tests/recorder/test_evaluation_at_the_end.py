"""A pass without a backward pass on unseen rows after the last step is an evaluation, also a single one."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from tests.trainings import numbers, stack
from traindx.quantities import SEEN_SHARE, TARGET_STD, VAL_LOSS
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch

STEPS = 40


@pytest.mark.parametrize("loads", [False, True])
@pytest.mark.parametrize("evaluates", [False, True])
@pytest.mark.parametrize("without", [torch.no_grad, torch.inference_mode])
def test_one_call_after_training_is_recorded(
    without: Callable[[], AbstractContextManager[object]], evaluates: bool, loads: bool, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    data = numbers()
    net = stack(8, 16, 1)
    rows = TensorDataset(data.inputs, data.targets)
    with watch(net, out=tmp_path, name="small"):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        loader = DataLoader(rows, 24, shuffle=True)
        batches = [batch for _ in range(4) for batch in loader] if not loads else None
        taken = 0
        while taken < STEPS:
            for inputs, targets in loader if batches is None else batches:
                loss = functional.mse_loss(net(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                taken += 1
        if evaluates:
            net.eval()
        with without():
            value = functional.mse_loss(net(data.held), data.held_targets)
    (run,) = load(tmp_path)
    assert run[VAL_LOSS].steps.tolist() == [STEPS]
    assert run[VAL_LOSS].values.tolist() == [pytest.approx(float(value))]
    (targets_seen,) = [curve for curve in run.all(TARGET_STD) if curve.part == "validation"]
    assert targets_seen.values[-1] == pytest.approx(float(data.held_targets.std(correction=0)), rel=1e-3)
    if evaluates:
        (series,) = [curve for curve in run.all(SEEN_SHARE) if curve.part == "validation"]
        assert series.values.tolist() == [0.0]
