"""Where activations are flat."""

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from traindx.recorder.tensors.activation import flat_ends


@pytest.mark.parametrize(
    "module",
    [
        nn.Sigmoid(),
        nn.Tanh(),
        nn.Hardtanh(-2.0, 3.0),
        nn.Hardsigmoid(),
        nn.Softsign(),
        nn.ReLU6(),
        nn.LSTM(1, 1),
        nn.GRU(1, 1),
        nn.RNN(1, 1),
        nn.LSTMCell(1, 1),
    ],
)
def test_at_a_flat_end_the_slope_has_nearly_vanished(module: nn.Module) -> None:
    ends = flat_ends(module)
    assert ends is not None
    assert ends[0] < ends[1]
    if len(list(module.parameters())):
        assert ends == flat_ends(nn.Tanh())
        return
    inputs = torch.linspace(-200, 200, 40_001).requires_grad_()
    outputs = module(inputs)
    outputs.sum().backward()
    flat = (outputs <= ends[0]) | (outputs >= ends[1])
    assert 0 < int(flat.sum()) < len(flat)
    assert float(inputs.grad[flat].abs().max()) <= 0.02


@pytest.mark.parametrize(
    "module",
    [
        nn.ReLU(),
        nn.GELU(),
        nn.Linear(2, 2),
        nn.Softmax(-1),
        nn.RNN(1, 1, nonlinearity="relu"),
        nn.LSTM(1, 2, proj_size=1),
    ],
)
def test_others_have_no_ends(module: nn.Module) -> None:
    assert flat_ends(module) is None
