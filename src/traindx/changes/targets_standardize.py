"""Targets with mean 0 and deviation 1."""

from __future__ import annotations

from dataclasses import replace

from traindx.changes import keras, nn, torch
from traindx.changes.live.batches import TargetScale, scale_of
from traindx.changes.live.keras_layers import graph_of
from traindx.changes.live.keras_program import KerasCall, KerasLoss, KerasProgram, kind_of
from traindx.changes.live.program import Loss, Program, learned_from
from traindx.changes.source.arrays import arrays_of, named, place_of, remade
from traindx.changes.source.source import Source
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, SCRIPT
from traindx.run import Run

_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
_KERAS_LOSSES = ("mean_squared_error", "mean_absolute_error", "huber", "log_cosh")
_MEAN, _STD = "target_mean", "target_std"
_OF_NUMBERS = (
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "mean_squared_error",
    "mean_absolute_error",
)


def _torch(program: Program, change: ChangeSpec) -> None:
    """Let the model predict standardized targets; what it gives is brought back to their own unit.

    The loss is shown in the program's unit and learned from in standardized units, so that both arms show
    the same thing.
    """
    scale = _Scale(program, change)
    last: nn.Module | None = None
    """The model that was called last: where a program calls several, its output is the prediction."""
    predicts: nn.Module | None = None

    def loss(original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        nonlocal predicts
        predicts = predicts if scale.known is not None else last
        return scale.learned(given, target, lambda one, other: original(one, other, **settings))

    def restored(module: nn.Module, _: object, output: object) -> object:
        nonlocal last
        if any(module is one for one in program.models):
            last = module
        if scale.known is None or module is not predicts:
            return None
        return scale.known.restored(output) if isinstance(output, torch.Tensor) else None

    program.on_model(lambda _: None)
    program.after_modules(restored)
    program.replace_losses(_LOSSES, loss)


class _Scale:
    """The scale of the targets, which the first batch tells."""

    def __init__(self, program: Program | KerasProgram, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self.known: TargetScale | None = None

    def learned(self, given: torch.Tensor, target: torch.Tensor, compute: Loss) -> torch.Tensor:
        """The loss in the program's unit, which is learned from in standardized units."""
        if self.known is None:
            self.known = scale_of(target)
            if self.known is None:
                self._program.refuse(self._change, "all targets of the first batch are equal")
                return compute(given, target)
            self._program.applied(self._change, f"targets standardized ({self.known})")
            # What the model gave before the scale was known is in standardized units already.
            given = self.known.restored(given)
        shown = compute(given, target)
        return learned_from(shown, compute(self.known.standardized(given), self.known.standardized(target)))


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """The same, for a model with one output."""
    scale = _Scale(program, change)
    outputs = 1

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        if kind_of(call.loss) not in _KERAS_LOSSES or outputs > 1:
            program.refuse(change, "not a regression model with one output")
            return original(call)
        return scale.learned(
            call.given, call.target, lambda one, other: original(replace(call, given=one, target=other))
        )

    def count(model: keras.Layer) -> None:
        nonlocal outputs
        graph = graph_of(model)
        outputs = max(outputs, len(graph.outputs) if graph is not None else 1)

    def restored(_: keras.Layer, output: torch.Tensor) -> torch.Tensor:
        return output if scale.known is None else scale.known.restored(output)

    program.on_model(count)
    program.on_output(restored)
    program.replace_losses(compute)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Standardize the targets by their training rows; predictions are then in deviations from the mean."""
    loss = run.facts.get(LOSS_FUNCTION)
    if loss is not None and loss not in _OF_NUMBERS:
        raise RefusedError(f"{loss} does not compare numeric targets")
    arrays = arrays_of(source, run, 1)
    rows = arrays.fitted
    statistics = f"{_MEAN}, {_STD} = {rows}.mean(), {rows}.std()"
    undone = f"  # prediction * {_STD} + {_MEAN} is in the original unit"
    parts = remade(source, arrays, [statistics + undone], _standard, [_MEAN, _STD])
    says = f"{named(arrays)} standardized after {place_of(source, arrays)}"
    return Edited(parts, f"{says}; losses and predictions are then in units of the target std")


def _standard(array: str) -> str:
    return f"({array} - {_MEAN}) / {_STD}"


CHANGE = Change(
    name="targets.standardize",
    label="standardize targets",
    says="standardize regression targets to mean 0 and std 1; predictions keep their unit",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(LOSS_PLACE, SCRIPT),
)
