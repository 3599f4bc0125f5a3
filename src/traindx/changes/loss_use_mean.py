"""The mean over samples instead of their sum."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from traindx.changes import torch
from traindx.changes.live.keras_program import KerasCall, KerasLoss, KerasProgram
from traindx.changes.live.program import Loss, Program, learned_from
from traindx.changes.source.literal import exchanged
from traindx.changes.source.loss import loss_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, text_of
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run

_LOSSES = (
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss"
    " smooth_l1_loss huber_loss kl_div"
).split()


def _torch(program: Program, change: ChangeSpec) -> None:
    """Learn from the mean where the program sums; the loss is shown as the program computes it."""

    def loss(original: Loss, value: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        shown = original(value, target, **settings)
        if settings.get("reduction") != "sum":
            return shown
        program.applied(change, "the loss uses the mean over samples instead of their sum")
        return learned_from(shown, original(value, target, **{**settings, "reduction": "mean"}))

    program.replace_losses(_LOSSES, loss)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Learn from the mean where the loss sums; it is shown as the program computes it."""

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        shown = original(call)
        if call.loss.reduction != "sum":
            program.refuse(change, "the loss is already a mean")
            return shown
        program.applied(change, "the loss uses the mean over samples instead of their sum")
        mean = copy(call.loss)
        mean.reduction = "sum_over_batch_size"
        return learned_from(shown, original(replace(call, loss=mean)))

    program.replace_losses(compute)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Let the loss function take the mean where it is told to sum."""
    loss = loss_of(source, run)
    arg = argument(loss.made, ("reduction",))
    if arg is None or text_of(arg.value) != "sum":
        raise RefusedError(
            f'{source.code(loss.made)} at {source.place(loss.made)} does not use reduction="sum"'
        )
    code = source.code(arg.value)
    return exchanged(source, arg, code.replace("sum", "mean"), "reduction")


CHANGE = Change(
    name="loss.use_mean",
    label="mean loss reduction",
    says="use the mean over samples if the loss uses their sum",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(LOSS_PLACE, SCRIPT),
)
