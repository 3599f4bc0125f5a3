"""Nothing waits for a device: tensors that cannot be read at all stand in for those that should not be."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from traindx.quantities import (
    GRADIENT_AGREEMENT,
    GRADIENT_NOISE_SCALE,
    GRADIENT_NORM,
    UPDATE_RATIO,
    WEIGHT_NORM,
)
from traindx.recorder.probes import gradients, weights
from traindx.recorder.probes.types import LiveParameter, Update
from traindx.recorder.tensors import access
from traindx.recorder.tensors.activation import ActivationWriter, activation, together
from traindx.recorder.tensors.sample import norms
from traindx.recorder.tensors.unit_watch import UnitWatches
from traindx.testing.probe import Written


def test_a_stand_in_cannot_be_read() -> None:
    with pytest.raises((RuntimeError, NotImplementedError)):
        float(torch.ones(3, device="meta").sum())


def test_statistics_of_activations_stay_on_the_device() -> None:
    snapshot = Written()
    shapes = ((64, 64), (8, 3), (200, 100))
    samples = [activation(str(shape), "", torch.empty(shape, device="meta"), (-1.0, 1.0)) for shape in shapes]
    ActivationWriter().write(snapshot, together(samples))
    assert len(snapshot.numbers) == 5 * len(shapes)
    assert all(isinstance(value, Tensor) and value.is_meta for value in snapshot.numbers.values())


def test_norms_stay_on_the_device() -> None:
    values = [torch.empty(3, device="meta"), torch.ones(4), torch.empty(5, device="meta").half()]
    first, second, third = norms(values)
    assert isinstance(first, Tensor)
    assert second == 2.0
    assert isinstance(third, Tensor)
    assert third.dtype is torch.float32


def test_units_are_watched_on_the_device() -> None:
    watches = UnitWatches()
    for _ in range(6):
        watches.snapshot("relu", "", torch.empty(64, 16, device="meta"), -1)
        shares = watches.settle()
    assert isinstance(shares[0].share, Tensor)


@pytest.fixture
def update(monkeypatch: pytest.MonkeyPatch) -> Update:
    """An update of parameters that cannot be read, which the probes take for readable."""
    monkeypatch.setattr(weights, "plain", lambda value: value)
    monkeypatch.setattr(access, "gradient", lambda value: value.grad)
    table, matrix, bias = (torch.empty(shape, device="meta") for shape in ((5000, 8), (80, 80), (80,)))
    parameters = []
    for name, value in (("table", table), ("matrix", matrix), ("bias", bias)):
        parameter = nn.Parameter(value)
        parameter.grad = torch.empty_like(value)
        parameters.append(LiveParameter(name, parameter, optimized=True))
    return Update(None, parameters, batch_size=8)


def test_probes_of_updates_stay_on_the_device(update: Update) -> None:
    probes = [gradients.Gradients(), weights.Weights(), gradients.GradientNoise()]
    for step in (1, 2):
        snapshot = Written(step)
        for probe in probes:
            probe.update_begins(snapshot, update)
            probe.update_ends(snapshot, update)
    written = {(quantity, layer) for quantity, layer, _ in snapshot.numbers}
    norms_written = {(q, name) for q in (GRADIENT_NORM, WEIGHT_NORM) for name in ("table", "matrix", "bias")}
    ratios = {(UPDATE_RATIO, name) for name in ("table", "matrix")}
    assert written == norms_written | ratios | {(GRADIENT_AGREEMENT, ""), (GRADIENT_NOISE_SCALE, "")}
    assert all(isinstance(value, Tensor) and value.is_meta for value in snapshot.numbers.values())
