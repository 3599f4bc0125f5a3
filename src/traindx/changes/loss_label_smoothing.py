"""Labels that are not quite sure."""

from __future__ import annotations

from dataclasses import replace

from traindx.changes import keras, nn, torch
from traindx.changes.live.doses import Doses, Off
from traindx.changes.live.keras_program import (
    CROSS_ENTROPIES,
    SPARSE,
    KerasCall,
    KerasLoss,
    KerasProgram,
    kind_of,
    sparse_labels,
    takes_scores,
    twin,
)
from traindx.changes.live.program import Loss, Program, learned_from
from traindx.changes.source.literal import added, scaled
from traindx.changes.source.loss import loss_of
from traindx.changes.source.optimizer import trainer_call
from traindx.changes.source.option import Option
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, number_text
from traindx.changes.types import BY_ERRORS, Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LABEL_SMOOTHING, LOSS_PLACE, SCRIPT
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Learn from smoothed labels; the loss is shown without."""
    share = change.number

    def loss(original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        shown = original(given, target, **settings)
        program.applied(change, f"label smoothing set to {share:g}")
        return learned_from(shown, original(given, target, **{**settings, "label_smoothing": share}))

    program.replace_losses(("cross_entropy",), loss)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Learn from smoothed labels; the loss is shown without."""
    share = change.number

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        shown, kind, given = original(call), kind_of(call.loss), call.given
        if kind not in CROSS_ENTROPIES:
            program.refuse(change, f"{kind} has no label smoothing")
            return shown
        program.applied(change, f"label smoothing set to {share:g}")
        if kind != SPARSE:
            return learned_from(shown, original(replace(call, loss=twin(call.loss, label_smoothing=share))))
        classes = int(given.shape[-1])
        labels = sparse_labels(call)
        # A label outside is one that the loss ignores: a row of zeros is learned from as little.
        known = (labels >= 0) & (labels < classes)
        rows = nn.functional.one_hot(labels.clamp(0, classes - 1), classes) * known.unsqueeze(-1)
        smoothed = replace(call, loss=_on_rows(call.loss, share), target=rows.to(given))
        return learned_from(shown, original(smoothed))

    program.replace_losses(compute)


def _on_rows(loss: keras.losses.Loss, share: float) -> keras.losses.Loss:
    """The same cross-entropy for labels that are rows of shares; that of numbers cannot be smoothed."""
    return keras.losses.CategoricalCrossentropy(
        from_logits=takes_scores(loss), label_smoothing=share, reduction=loss.reduction, dtype=loss.dtype
    )


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the label smoothing of the cross-entropy."""
    arguments = trainer_call(source)
    name = "label_smoothing" if arguments is None else "label_smoothing_factor"
    call = arguments
    if call is None:
        loss = loss_of(source, run)
        if loss.function != "cross_entropy":
            raise RefusedError(f"{source.callee(loss.made)} has no label smoothing")
        call = loss.made
    given = argument(call, (name,))
    if given is not None:
        return scaled(source, run, "the label smoothing", given, change.scaled)
    if not change.number or change.is_factor:
        raise RefusedError(f"no label smoothing at {source.place(call)}")
    return added(source, call, name, number_text(change.number))


CHANGE = Change(
    name="loss.label_smoothing",
    label="label smoothing {}",
    forms=("loss.label_smoothing 0.1", "loss.label_smoothing 0"),
    says="set the label smoothing of the cross-entropy loss",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    option=Option(
        ("label_smoothing", "smoothing", "label_smoothing_factor"),
        fact=LABEL_SMOOTHING,
        trainer="label_smoothing_factor",
    ),
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
    doses=Doses(off=Off(("0",), LABEL_SMOOTHING)),
)
