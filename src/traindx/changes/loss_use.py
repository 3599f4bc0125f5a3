"""Another loss function."""

from __future__ import annotations

from traindx.changes import nn, torch
from traindx.changes.live.program import Loss, Program
from traindx.changes.source.loss import loss_of
from traindx.changes.source.optimizer import twin_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import last_name
from traindx.changes.types import BY_ERRORS, Change, ChangeSpec, Edited, Refusal, RefusedError
from traindx.errors import TraindxError
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run

_LOSSES = {"bce": "binary_cross_entropy_with_logits", "mse": "mse_loss"}
_BCE, _MSE = _LOSSES.values()
_CLASSES = {_BCE: "BCEWithLogitsLoss", _MSE: "MSELoss"}
_INSTEAD = {_BCE: ("cross_entropy",), _MSE: ("poisson_nll_loss",)}
"""The losses that each may replace: what they are given fits it as it is."""
_KEPT = ("reduction",)


def _chosen(change: ChangeSpec) -> str:
    name = change.words[0] if change.words else ""
    if name not in _LOSSES:
        raise TraindxError(f'"{change}": expected one of {", ".join(_LOSSES)}')
    return _LOSSES[name]


def _torch(program: Program, change: ChangeSpec) -> None:
    """Call another loss, if predictions and targets have one shape."""
    name = _chosen(change)

    def loss(original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        if given.shape != target.shape or not target.is_floating_point():
            program.refuse(change, f"{name} needs targets of the shape of the predictions")
            return original(given, target, **settings)
        program.applied(change, f"{name} replaces {original.__name__}")
        kept = {key: value for key, value in settings.items() if key in _KEPT}
        other: torch.Tensor = getattr(nn.functional, name)(given, target, **kept)
        return other

    program.replace_losses(_INSTEAD[name], loss, while_validating=True)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Name another loss, where the program names its own."""
    name = _chosen(change)
    loss = loss_of(source, run)
    if loss.function not in _INSTEAD[name]:
        raise RefusedError(f"{name} does not replace {source.callee(loss.made)}")
    settings = [one for one in loss.made.args if one.keyword and one.keyword.value not in _KEPT]
    if settings:
        raise RefusedError(f"{source.callee(loss.made)} has settings that {name} lacks")
    is_class = last_name(loss.made.func) != loss.function
    module = "torch.nn" if is_class else "torch.nn.functional"
    new = twin_of(source, loss.made, _CLASSES[name] if is_class else name, module)
    says = f"{source.code(loss.made.func)} -> {source.code(new.func)} at {source.place(loss.made)}"
    return Edited({loss.made: new}, says)


CHANGE = Change(
    name="loss.use",
    label="{} loss",
    forms=("loss.use bce", "loss.use mse"),
    says="replace the loss by one that fits the targets",
    torch=_torch,
    keras=Refusal("works on torch losses only; this is a Keras model"),
    edit=_edit,
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)
