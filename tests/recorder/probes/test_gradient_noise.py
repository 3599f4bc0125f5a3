"""Agreement and noise scale against plain arithmetic and against noise of a known size."""

import math
import statistics

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from traindx.quantities import GRADIENT_AGREEMENT, GRADIENT_NOISE_SCALE
from traindx.recorder.probes.gradients import GradientNoise
from traindx.recorder.probes.types import LiveParameter, Update
from traindx.run import Quantity
from traindx.testing.probe import Written


def told(
    probe: GradientNoise, step: int, gradients: list[Tensor], batch_size: int = 8
) -> dict[Quantity, float]:
    """What is written at a step with these gradients."""
    parameters = []
    for number, gradient in enumerate(gradients):
        parameter = nn.Parameter(torch.zeros_like(gradient))
        parameter.grad = gradient
        parameters.append(LiveParameter(str(number), parameter, optimized=True))
    snapshot = Written(step)
    probe.update_begins(snapshot, Update(None, parameters, batch_size))
    return {quantity: float(value) for (quantity, _, _), value in snapshot.numbers.items()}


def test_two_steps_in_a_row_are_compared_exactly() -> None:
    torch.manual_seed(0)
    probe = GradientNoise()
    first, second = ([torch.randn(4, 5) + 1, torch.randn(7) + 1] for _ in range(2))
    g, h = (torch.cat([gradient.flatten() for gradient in step]).tolist() for step in (first, second))
    assert told(probe, 4, first) == {}
    dot = math.fsum(a * b for a, b in zip(g, h, strict=True))
    squares = [math.fsum(a * a for a in gradient) for gradient in (g, h)]
    assert told(probe, 5, second) == pytest.approx(
        {
            GRADIENT_AGREEMENT: dot / math.sqrt(squares[0] * squares[1]),
            GRADIENT_NOISE_SCALE: 8 * (sum(squares) / 2 - dot) / dot,
        }
    )


def test_steps_further_apart_and_other_parameters_are_not_compared() -> None:
    probe = GradientNoise()
    assert told(probe, 1, [torch.ones(4)]) == {}
    assert told(probe, 3, [torch.ones(4)]) == {}
    assert told(probe, 4, [torch.ones(5)]) == {}
    assert told(probe, 5, []) == {}
    assert told(probe, 6, [torch.ones(5)]) == {}
    assert told(probe, 7, [torch.ones(5)]) == {GRADIENT_AGREEMENT: 1.0, GRADIENT_NOISE_SCALE: 0.0}


def test_the_noise_scale_is_left_out_where_it_cannot_be_told() -> None:
    probe = GradientNoise()
    told(probe, 1, [torch.ones(4)])
    assert told(probe, 2, [-torch.ones(4)]) == {GRADIENT_AGREEMENT: -1.0}
    assert told(probe, 3, [-torch.ones(4)], batch_size=0) == {GRADIENT_AGREEMENT: 1.0}
    assert told(probe, 4, [torch.zeros(4)]) == {}
    assert told(probe, 5, [torch.full((4,), math.nan)]) == {}
    assert told(probe, 6, [torch.ones(4)]) == {}


def test_vanishing_gradients_are_compared() -> None:
    probe = GradientNoise()
    told(probe, 1, [torch.full((4,), 1e-30)])
    assert told(probe, 2, [torch.full((4,), 3e-30)])[GRADIENT_AGREEMENT] == pytest.approx(1.0)


def test_noise_of_a_known_size_is_measured() -> None:
    torch.manual_seed(0)
    shapes, batch_size, deviation = ((300, 200), (300,), (200, 300), (50,)), 16, 3.0
    true = [torch.randn(shape) * 0.5 for shape in shapes]
    expected = (
        deviation**2
        * sum(gradient.numel() for gradient in true)
        / sum(float(gradient.square().sum()) for gradient in true)
    )
    probe, scales, agreements = GradientNoise(), [], []
    for step in range(1, 31):
        noisy = [gradient + torch.randn(gradient.shape) * deviation / batch_size**0.5 for gradient in true]
        measured = told(probe, step, noisy, batch_size)
        if step > 1:
            scales.append(measured[GRADIENT_NOISE_SCALE])
            agreements.append(measured[GRADIENT_AGREEMENT])
    assert statistics.fmean(scales) == pytest.approx(expected, rel=0.05)
    assert statistics.fmean(agreements) == pytest.approx(1 / (1 + expected / batch_size), rel=0.05)
