"""Targets with mean 0 and deviation 1; class labels that start at 0, and answers of 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass, replace

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.keras_layers import graph_of
from traindx.changes.live.keras_program import KerasCall, KerasLoss, KerasProgram, kind_of
from traindx.changes.live.program import Loss, Program, learned_from
from traindx.changes.source.arrays import arrays_of, named, place_of, remade
from traindx.changes.source.labels import label_made
from traindx.changes.source.literal import exchanged, replaced
from traindx.changes.source.loss import loss_calls, loss_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression
from traindx.changes.types import TORCH_LOSSES_ONLY, Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, LOWEST_LABEL, SCRIPT
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


def _torch_standardize(program: Program, change: ChangeSpec) -> None:
    """Let the model predict standardized targets; what it gives is brought back to their own unit.

    The loss is shown in the program's unit and learned from in standardized units, so that both arms show
    the same thing.
    """
    scale = _Scale(program, change)
    last: nn.Module | None = None
    """The model that was called last: where a program calls several, its output is the prediction."""
    predicts: nn.Module | None = None

    def loss(original: Loss, value: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        nonlocal predicts
        predicts = predicts if scale.known is not None else last
        return scale.learned(value, target, lambda first, other: original(first, other, **settings))

    def restored(module: nn.Module, _: object, output: object) -> object:
        nonlocal last
        if any(module is model for model in program.models):
            last = module
        if scale.known is None or module is not predicts:
            return None
        return scale.known.restored(output) if isinstance(output, torch.Tensor) else None

    program.on_model(lambda _: None)
    program.after_modules(restored)
    program.replace_losses(_LOSSES, loss)


_LEAST = 1e-12
_COLUMNS, _ROWS = 32, 8
"""Columns up to which each is a quantity in a unit of its own, and rows that it takes to know them."""
_STILL = 1e-3
"""A column that varies by less than this share of the others is held against them, not against itself."""


@dataclass(frozen=True, eq=False)
class _TargetScale:
    """What is taken from targets and what they are divided by; one number, or one for each column."""

    mean: torch.Tensor
    deviation: torch.Tensor

    def standardized(self, values: torch.Tensor) -> torch.Tensor:
        """Values in units of the deviation."""
        return (values - self.mean.to(values)) / self.deviation.to(values)

    def restored(self, values: torch.Tensor) -> torch.Tensor:
        """Values in their own unit."""
        return values * self.deviation.to(values) + self.mean.to(values)

    def __str__(self) -> str:
        if self.mean.dim() == 0:
            return f"mean {float(self.mean):.3g}, std {float(self.deviation):.3g}"
        low, high = float(self.deviation.min()), float(self.deviation.max())
        return f"{len(self.mean)} columns, std {low:.3g} to {high:.3g}"


def _scale_of(targets: torch.Tensor) -> _TargetScale | None:
    """The scale of a batch of targets; None where they are all the same."""
    values = targets.detach().float()
    whole = values.std() if values.numel() > 1 else torch.zeros(())
    if not float(whole) > _LEAST:
        return None
    if values.dim() != 2 or not 1 < values.shape[1] <= _COLUMNS or len(values) < _ROWS:
        return _TargetScale(values.mean(), whole)
    deviations = values.std(0)
    return _TargetScale(values.mean(0), deviations.clamp_min(_STILL * float(deviations.max())))


class _Scale:
    """The scale of the targets, which the first batch tells."""

    def __init__(self, program: Program | KerasProgram, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self.known: _TargetScale | None = None

    def learned(self, given: torch.Tensor, target: torch.Tensor, compute: Loss) -> torch.Tensor:
        """The loss in the program's unit, which is learned from in standardized units."""
        if self.known is None:
            self.known = _scale_of(target)
            if self.known is None:
                self._program.refuse(self._change, "all targets of the first batch are equal")
                return compute(given, target)
            self._program.applied(self._change, f"targets standardized ({self.known})")
            # What the model gave before the scale was known is in standardized units already.
            given = self.known.restored(given)
        shown = compute(given, target)
        return learned_from(shown, compute(self.known.standardized(given), self.known.standardized(target)))


def _keras_standardize(program: KerasProgram, change: ChangeSpec) -> None:
    """The same, for a model with one output."""
    scale = _Scale(program, change)
    outputs = 1

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        if kind_of(call.loss) not in _KERAS_LOSSES or outputs > 1:
            program.refuse(change, "not a regression model with one output")
            return original(call)
        return scale.learned(
            call.given, call.target, lambda first, other: original(replace(call, given=first, target=other))
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


def _edit_standardize(source: Source, _: ChangeSpec, run: Run) -> Edited:
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


STANDARDIZE = Change(
    name="targets.standardize",
    label="standardize targets",
    says="standardize regression targets to mean 0 and std 1; predictions keep their unit",
    torch=_torch_standardize,
    keras=_keras_standardize,
    edit=_edit_standardize,
    edited_file=(LOSS_PLACE, SCRIPT),
)


_OF_CLASSES = ("cross_entropy", "nll_loss")
_OF_ANSWERS = ("binary_cross_entropy", "binary_cross_entropy_with_logits")
_IGNORED = -100
"""The label that losses of classes leave out unless told otherwise."""
_WRITTEN = {1: "{} - 1", -1: "({} + 1) / 2"}
"""The repair by the lowest label."""


def _torch_start_at_zero(program: Program, change: ChangeSpec) -> None:
    """Subtract 1 from the labels of a loss, if all are 1 or more; make 0 and 1 of answers -1 and 1."""

    def classes(
        original: Loss, prediction: torch.Tensor, target: torch.Tensor, **settings: object
    ) -> torch.Tensor:
        if target.is_floating_point():
            program.refuse(change, "the targets are probabilities, not class labels")
            return original(prediction, target, **settings)
        is_ignored = target == settings.get("ignore_index", _IGNORED)
        if bool(((target < 1) & ~is_ignored).any()):
            program.refuse(change, "a label below 1 occurs")
            return original(prediction, target, **settings)
        program.applied(change, "1 is subtracted from the labels")
        return original(prediction, torch.where(is_ignored, target, target - 1), **settings)

    def answers(
        original: Loss, prediction: torch.Tensor, target: torch.Tensor, **settings: object
    ) -> torch.Tensor:
        if bool((target.abs() != 1).any()):
            program.refuse(change, "a target other than -1 and 1 occurs")
            return original(prediction, target, **settings)
        program.applied(change, "targets -1 and 1 are made 0 and 1")
        return original(prediction, (target + 1) / 2, **settings)

    program.replace_losses(_OF_CLASSES, classes, while_validating=True)
    program.replace_losses(_OF_ANSWERS, answers, while_validating=True)


def _edit_start_at_zero(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Shift the labels in the call of the loss, if they are used nowhere else; else where they are made."""
    written = _WRITTEN.get(run.facts.get(LOWEST_LABEL))  # type: ignore[arg-type]  # any fact, or none
    if written is None:
        raise RefusedError("the labels were not seen to start at 1 or at -1")
    try:
        return _shifted_in_loss(source, run, written)
    except RefusedError:
        label = label_made(source)
        if label is None:
            raise
    return replaced(source, label, expression(written.format(source.operand(label))))


def _shifted_in_loss(source: Source, run: Run, written: str) -> Edited:
    call = loss_of(source, run).used
    plain = [arg for arg in call.args if not arg.keyword]
    others = [loss_call for loss_call in loss_calls(source) if loss_call is not call]
    if others:
        raise RefusedError(f"another loss at {source.place(others[0])} uses labels as well")
    label = _variable(plain[1].value) if len(plain) > 1 else None
    if label is None:
        raise RefusedError(f"the labels are not in a variable at {source.place(call)}")
    uses = [name for name in source.all(cst.Name, source.scope(call)) if name.value == label.value]
    # Once where they come from, and once in the loss: an accuracy would compare with the old labels.
    if len(uses) > 2:
        places = ", ".join(source.place(use) for use in uses)
        raise RefusedError(f"{label.value} is used in several places ({places})")
    return exchanged(source, plain[1], written.format(source.code(plain[1].value)))


def _variable(value: cst.BaseExpression) -> cst.Name | None:
    """The variable that labels are in, or that a batch of them is taken from."""
    held = value.value if isinstance(value, cst.Subscript) else value
    return held if isinstance(held, cst.Name) else None


START_AT_ZERO = Change(
    name="targets.start_at_zero",
    label="labels from 0",
    says="shift labels that start at 1, or at -1, to where the loss expects them",
    torch=_torch_start_at_zero,
    keras=TORCH_LOSSES_ONLY,
    edit=_edit_start_at_zero,
    edited_file=(LOSS_PLACE, SCRIPT),
)
