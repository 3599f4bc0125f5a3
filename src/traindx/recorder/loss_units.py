"""Whether training and validation losses have one unit: the same function, reduction and options."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose, isfinite

from traindx.recorder.probes.types import LossCall

_CLOSE = 1e-3
"""Relative difference below which a loss is the one that its function gave."""


@dataclass(frozen=True)
class _Unit:
    """What a loss function was asked for."""

    function: str
    reduction: str
    smooths: bool
    weights: bool
    per_row: int
    """Values of a target in each row of the batch."""


class LossUnits:
    """The losses of looked-at steps, and those of validation."""

    def __init__(self) -> None:
        self._trained: _Unit | None = None
        self._evaluated: _Unit | None = None
        self._calls: list[float | None] = []
        """Of the forward pass that runs, what its loss functions gave; None where that is on a device."""
        self._others = False
        """Whether the loss of training is more than what one loss function gave."""

    def trained(self, call: LossCall) -> None:
        """A loss function returned in a step that is looked at."""
        self._trained = _unit(call)
        self._calls.append(_number(call))

    def backward_begins(self, loss: object, batches: int) -> None:
        """The backward pass of a step that is looked at begins; so many of them make a step."""
        calls, self._calls = self._calls, []
        if not calls or None in calls or not isinstance(loss, float) or not isfinite(loss):
            return
        # A loss that is divided by the batches of a step is recorded for the step as a whole.
        same = [one for one in calls if one is not None and _is_same(loss, one, batches)]
        self._others = len(calls) > 1 or not same

    def evaluated(self, call: LossCall) -> None:
        """A loss function returned for validation data."""
        self._evaluated = _unit(call)

    @property
    def difference(self) -> str | None:
        """Why the two cannot be compared; empty where they can, None where one of them was not seen."""
        ours, theirs = self._trained, self._evaluated
        if ours is None or theirs is None:
            return None
        if ours.function != theirs.function:
            return f"training uses {ours.function}, validation {theirs.function}"
        if self._others:
            return f"the training loss is not {ours.function} alone: it has more terms, or a factor"
        if ours.smooths != theirs.smooths:
            return f"only {'training' if ours.smooths else 'validation'} uses label smoothing"
        if ours.weights != theirs.weights:
            return f"only {'training' if ours.weights else 'validation'} uses class weights"
        if ours.reduction == "sum":
            return "the training loss is a sum over the batch, the validation loss a mean"
        if theirs.reduction == "sum" and theirs.per_row != 1:
            return "the validation loss is a sum over each row, the training loss a mean"
        return ""


def _unit(call: LossCall) -> _Unit:
    options, target = call.options, call.target
    rows = int(target.shape[0]) if target.dim() else 1
    return _Unit(
        function=call.function,
        reduction=str(options.get("reduction") or "mean"),
        smooths=bool(options.get("label_smoothing")),
        weights=_is_given(options, "weight") or _is_given(options, "pos_weight"),
        per_row=target.numel() // max(rows, 1),
    )


def _is_given(options: Mapping[str, object], name: str) -> bool:
    return options.get(name) is not None


def _number(call: LossCall) -> float | None:
    value = call.value.detach()
    return float(value.float().mean()) if value.is_cpu else None


def _is_same(loss: float, value: float, batches: int) -> bool:
    return any(isclose(loss * factor, value, rel_tol=_CLOSE, abs_tol=_CLOSE**2) for factor in (1, batches))
