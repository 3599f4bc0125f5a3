"""How weights begin: which are zero on purpose, and which are equal and stay so."""

from traindx.exams.sitting import Sitting
from traindx.recorder.probes.equal_units import EqualUnits
from traindx.recorder.probes.types import Parameters, Update

_STEP = 1e-3
"""How far units with equal weights are moved to see whether their gradients part them: any step would do."""


def step_apart(sitting: Sitting, probe: EqualUnits) -> None:
    """Let the probe see units after a step: those that stay equal have equal gradients and never part."""
    moved = {
        one.name: one.value.detach() - _STEP * one.value.grad
        for one in sitting.parameters
        if one.value.grad is not None
        # A scale for each channel has one value a unit, and may be the same everywhere.
        and one.value.dim() > 1
        and one.value.numel() > one.value.shape[0]
        and not one.value.grad.is_sparse
        # What gets no gradient at all from this batch cannot be told apart by it.
        and bool(one.value.grad.any())
    }
    sitting.record.step = 2
    probe.update_begins(sitting.record, Update(None, Parameters(list(moved), list(moved.values())), 0))
    sitting.record.step = 1


def starting_at_zero(sitting: Sitting) -> list[str]:
    """What multiplies and is all zeros: the last layers of residual branches begin so, and adapters."""
    return [
        one.name
        for one in sitting.parameters
        if one.value.requires_grad and "bias" not in one.name.rpartition(".")[2] and not one.value.any()
    ]
