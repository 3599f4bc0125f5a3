"""Validation: passes over its data, which are over when training goes on, and the unit of their loss.

Training and validation losses have one unit where function, reduction and options are the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isclose, isfinite

from traindx.quantities import TEST_LOSS, VAL_LOSS
from traindx.recorder.loop_facts import LoopFacts
from traindx.recorder.probes.types import LossCall
from traindx.recorder.sampling import Notebook, ValidationSnapshot, floats
from traindx.recorder.schedule import one_in
from traindx.run import Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.hooks.torch_backend import TorchBackend
    from traindx.recorder.probes.types import Value

_LOSSES = (VAL_LOSS.slug, TEST_LOSS.slug)
_SURE = 4
"""Passes over training rows alone after which nothing else is evaluated."""
_STRIDE = 7
"""From pass to pass, how far the batch that is looked at moves on."""


@dataclass
class _Pass:
    """What the batches of one data source gave, by loss function."""

    step: int
    """The step before it."""
    totals: "dict[str, list[tuple[Value, int]]]" = field(default_factory=dict)
    snapshot: ValidationSnapshot | None = None
    batches: int = 0
    habits: list[tuple[Fact, bool]] = field(default_factory=list)
    """How its batches were evaluated: facts that are shares of batches, and whether they hold for one."""


class Validation:
    """The passes since the last training step; each data source has a name of its own."""

    def __init__(self, share: float) -> None:
        self._apart = one_in(share)
        self._passes: dict[int, _Pass] = {}
        self._parts: dict[int, dict[int, str]] = {}
        """Per stream, the names of its data sources."""
        self._past: dict[int, tuple[int, int]] = {}
        """Per source, the passes that are over and the batches of the last."""
        self._of_training, self._had_others = 0, False
        """Of data that comes without a loader: passes over training rows alone, and whether one was not."""
        self.is_told = False
        """Whether a framework reported the losses of the passes that were written last."""
        self.reported: set[tuple[str, str]] = set()
        """Quantities and parts that a framework reported itself since a pass was written: it knows better."""

    @property
    def pending(self) -> bool:
        """Whether anything was seen since training last went on."""
        return bool(self._passes)

    def add(self, source: int, step: int, function: str, value: "Value", samples: int) -> None:
        """Count the loss of a batch."""
        validation_pass = self._passes.setdefault(source, _Pass(step))
        validation_pass.totals.setdefault(function, []).append((value, samples))
        validation_pass.batches += 1

    def drop(self, source: int) -> None:
        """Forget a pass that was none."""
        self._passes.pop(source, None)

    def note(self, source: int, step: int, fact: Fact, is_so: bool) -> None:
        """Note how a batch is evaluated."""
        self._passes.setdefault(source, _Pass(step)).habits.append((fact, is_so))

    def snapshot(self, source: int, step: int) -> ValidationSnapshot:
        """Where probes write about the pass that runs."""
        validation_pass = self._passes.setdefault(source, _Pass(step))
        if validation_pass.snapshot is None:
            validation_pass.snapshot = ValidationSnapshot(step, is_mixed=not source)
        return validation_pass.snapshot

    def is_chosen(self, source: int, ahead: int = 0) -> bool:
        """Whether the batch at hand is looked at in any case: another one in each pass."""
        number, length = self._past.get(source, (0, 1))
        return self._batch(source) + ahead == 1 + (_STRIDE * number) % length

    def is_looked_at(self, source: int) -> bool:
        """Whether the loss of the batch at hand is looked at: in long passes more than one is."""
        return self.is_chosen(source) or self._batch(source) % self._apart == 0

    def _batch(self, source: int) -> int:
        return self._passes[source].batches if source in self._passes else 0

    def write(
        self, notebook: Notebook, function: str, backend: "TorchBackend", loop_facts: LoopFacts
    ) -> None:
        """Write the passes that are over: the mean over samples of the loss that training uses."""
        self.is_told = any(slug in _LOSSES for slug, _ in self.reported)
        for source, validation_pass in self._passes.items():
            parts = self._parts.setdefault(notebook.stream, {})
            part = parts.setdefault(source, f"data {len(parts) + 1}" if parts else "")
            weighed = validation_pass.totals.get(function) or next(iter(validation_pass.totals.values()), [])
            samples = sum(count for _, count in weighed)
            for fact, is_so in validation_pass.habits if weighed else ():
                loop_facts.count(fact, is_so)
            if samples and not self.is_told:
                values = floats([value for value, _ in weighed], backend)
                total = sum(value * count for value, (_, count) in zip(values, weighed, strict=True))
                notebook.rows_for(VAL_LOSS.slug, (("", part),)).extend(
                    (validation_pass.step, total / samples)
                )
            # Statistics of a second set of data would pass for those of the first.
            # Without a loader and a loss it may be any pass without gradients, such as a teacher's.
            if validation_pass.snapshot is not None and not part and (weighed or source):
                validation_pass.snapshot.beside_others = len(self._passes) > 1 or self._may_hold_others(
                    source, validation_pass
                )
                validation_pass.snapshot.write(notebook, backend, self.reported)
            number, _ = self._past.get(source, (0, 1))
            self._past[source] = (number + 1, max(validation_pass.batches, 1))
        self._passes.clear()
        self.reported.clear()

    def _may_hold_others(self, source: int, validation_pass: _Pass) -> bool:
        """Whether a pass without a loader, of which a batch is looked at, may be of other rows as well."""
        of_training = (
            validation_pass.snapshot.training_batches if validation_pass.snapshot is not None else None
        )
        if not source and of_training is not None:
            self._had_others |= not of_training
            self._of_training += of_training > 0
        return not source and (self._had_others or self._of_training < _SURE)


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
        same = [call for call in calls if call is not None and _is_same(loss, call, batches)]
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
