"""Layers that are unfrozen after the optimizer was built are seen, whenever that is."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.nn import functional

from traindx.facts import FROZEN_PARAMETERS, UNOPTIMIZED_PARAMETERS
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch


@pytest.mark.parametrize("unfreezes_at", [3, 90])
def test_what_is_unfrozen_and_in_no_optimizer_is_counted(tmp_path: Path, unfreezes_at: int) -> None:
    torch.manual_seed(0)
    body, head = nn.Linear(4, 8).requires_grad_(False), nn.Linear(8, 1)
    net = nn.Sequential(body, nn.ReLU(), head)
    optimizer = torch.optim.SGD([value for value in net.parameters() if value.requires_grad], lr=0.01)
    with watch(net, optimizer, out=tmp_path, name="late"):
        for step in range(120):
            body.requires_grad_(step >= unfreezes_at)
            loss = functional.mse_loss(net(torch.randn(8, 4)), torch.randn(8, 1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    (run,) = load(tmp_path)
    assert run.facts[UNOPTIMIZED_PARAMETERS] == 2
    assert run.facts[FROZEN_PARAMETERS] == 0
