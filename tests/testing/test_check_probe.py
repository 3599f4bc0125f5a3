"""The kit refuses every kind of probe that breaks the oath, and passes one that keeps it."""

import random
import warnings
from collections.abc import Sequence
from typing import final

import pytest
import torch
from torch import Tensor, nn

from traindx.quantities import GRADIENT_NORM, INPUT_MEAN, PREDICTION_MEAN, TRAIN_LOSS
from traindx.recorder.probes.types import Batch, LiveParameter, LossCall, Probe, Purpose, Snapshot, Update
from traindx.run import EventKind, Quantity
from traindx.testing.probe import check_probe


@final
class Honest(Probe):
    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        prediction = call.prediction.detach()
        if prediction.is_meta or prediction.layout is not torch.strided or not prediction.numel():
            return
        if prediction.is_floating_point() and prediction.dtype.itemsize > 1:
            snapshot.add(PREDICTION_MEAN, prediction.mean())


@final
class ChangesInput(Probe):
    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        batch.tensors[0].add_(0)


@final
class ChangesParameter(Probe):
    def update_ends(self, snapshot: Snapshot, update: Update) -> None:
        with torch.no_grad():
            update.parameters[0].value.mul_(1.0000001)


@final
class ChangesGradient(Probe):
    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        update.parameters[0].value.grad = None


@final
class ComputesGradients(Probe):
    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        loss.backward(retain_graph=True)


@final
class DrawsFromTorch(Probe):
    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        torch.randperm(3)


@final
class DrawsFromPython(Probe):
    def module_returns(
        self, snapshot: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        random.random()


@final
class SwitchesGradientsOff(Probe):
    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        torch.set_grad_enabled(False)


@final
class LeavesHook(Probe):
    def module_returns(
        self, snapshot: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        module.register_forward_pre_hook(lambda *_: None)


@final
class LeavesTensorHook(Probe):
    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        if call.prediction.requires_grad:
            call.prediction.register_hook(lambda gradient: None)


@final
class KeepsView(Probe):
    def __init__(self) -> None:
        self.kept: list[Tensor] = []

    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        self.kept += [tensor.detach()[..., :1] for tensor in batch.tensors if tensor.dim()]


@final
class KeepsCall(Probe):
    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        self.call = call


@final
class WritesView(Probe):
    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        if call.prediction.numel() and call.prediction.layout is torch.strided:
            snapshot.add(PREDICTION_MEAN, call.prediction.detach().flatten()[0])


@final
class WritesGraph(Probe):
    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        snapshot.add(TRAIN_LOSS, call.value)


@final
class WritesVector(Probe):
    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        snapshot.add(INPUT_MEAN, torch.zeros(3))


@final
class WritesInteger(Probe):
    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        snapshot.add(INPUT_MEAN, 3)


@final
class WritesUndeclared(Probe):
    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        snapshot.add(Quantity("my_own", "nothing"), 1.0)


@final
class SaysNothing(Probe):
    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        snapshot.happened(EventKind.NONFINITE, "")


@final
class Warns(Probe):
    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        warnings.warn("careful", stacklevel=1)


@final
class ExpectsFloats(Probe):
    def batch_enters(self, snapshot: Snapshot, batch: Batch) -> None:
        for tensor in batch.tensors:
            if tensor.dtype is torch.float32:
                snapshot.add(INPUT_MEAN, float(tensor.detach().mean()))


@final
class ExpectsGradients(Probe):
    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        for parameter in update.parameters:
            snapshot.add(GRADIENT_NORM, parameter.value.grad.norm())


BROKEN = (
    ChangesInput,
    ChangesParameter,
    ChangesGradient,
    ComputesGradients,
    DrawsFromTorch,
    DrawsFromPython,
    SwitchesGradientsOff,
    LeavesHook,
    LeavesTensorHook,
    KeepsView,
    KeepsCall,
    WritesView,
    WritesGraph,
    WritesVector,
    WritesInteger,
    WritesUndeclared,
    SaysNothing,
    Warns,
    ExpectsFloats,
    ExpectsGradients,
)


def test_a_probe_that_keeps_the_oath_passes() -> None:
    check_probe(Honest)
    check_probe(Probe)


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_oath_is_noticed(broken: type[Probe]) -> None:
    try:
        with pytest.raises((AssertionError, UserWarning)):
            check_probe(broken)
    finally:
        torch.set_grad_enabled(True)
