"""Another loss function: one that fits the targets, one that trusts labels less, smoothed labels."""

from __future__ import annotations

from dataclasses import replace

from traindx.changes import keras, nn, torch
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
from traindx.changes.source.hyperparameter import Doses, Off, Option
from traindx.changes.source.literal import added, replaced, scaled
from traindx.changes.source.loss import loss_of
from traindx.changes.source.optimizer import exchanged_class, trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, expression, imported, last_name, number_text
from traindx.changes.types import (
    BY_ERRORS,
    TORCH_LAYERS_ONLY,
    TORCH_LOSSES_ONLY,
    Change,
    ChangeSpec,
    Edited,
    RefusedError,
)
from traindx.errors import TraindxError
from traindx.facts import LABEL_SMOOTHING, LOSS_PLACE, SCRIPT
from traindx.run import Run

_LOSSES = {"bce": "binary_cross_entropy_with_logits", "mse": "mse_loss"}
_BCE, _MSE = _LOSSES.values()
_CLASSES = {_BCE: "BCEWithLogitsLoss", _MSE: "MSELoss"}
_INSTEAD = {_BCE: ("cross_entropy",), _MSE: ("poisson_nll_loss",)}
"""The losses that each may replace: what they are given fits it as it is."""
_KEPT = ("reduction",)


def _chosen(change: ChangeSpec) -> str:
    return _LOSSES[change.among(_LOSSES)]


def _torch_use(program: Program, change: ChangeSpec) -> None:
    """Call another loss, if predictions and targets have one shape."""
    name = _chosen(change)

    def loss(original: Loss, value: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        if value.shape != target.shape or not target.is_floating_point():
            program.refuse(change, f"{name} needs targets of the shape of the predictions")
            return original(value, target, **settings)
        program.applied(change, f"{name} replaces {original.__name__}")
        kept = {key: value for key, value in settings.items() if key in _KEPT}
        other: torch.Tensor = getattr(nn.functional, name)(value, target, **kept)
        return other

    program.replace_losses(_INSTEAD[name], loss, while_validating=True)


def _edit_use(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Name another loss, where the program names its own."""
    name = _chosen(change)
    loss = loss_of(source, run)
    if loss.function not in _INSTEAD[name]:
        raise RefusedError(f"{name} does not replace {source.callee(loss.made)}")
    settings = [arg for arg in loss.made.args if arg.keyword and arg.keyword.value not in _KEPT]
    if settings:
        raise RefusedError(f"{source.callee(loss.made)} has settings that {name} lacks")
    is_class = last_name(loss.made.func) != loss.function
    module = "torch.nn" if is_class else "torch.nn.functional"
    return exchanged_class(source, loss.made, _CLASSES[name] if is_class else name, module)


USE = Change(
    name="loss.use",
    label="{} loss",
    forms=("loss.use bce", "loss.use mse"),
    says="replace the loss by one that fits the targets",
    torch=_torch_use,
    keras=TORCH_LOSSES_ONLY,
    edit=_edit_use,
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)


_LEAST = 1e-7


def _torch_robust(program: Program, change: ChangeSpec) -> None:
    """Learn from the generalized cross-entropy, (1 - p^q) / q; the loss is shown as it was.

    Zhang and Sabuncu 2018: q near 0 is the cross-entropy, q = 1 the mean absolute error.
    """
    q = change.number
    if not 0 < q <= 1:
        raise TraindxError(
            f'"{change}": q must be greater than 0 and at most 1, for example: loss.robust 0.7'
        )

    def loss(original: Loss, value: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        shown = original(value, target, **settings)
        if target.is_floating_point() or value.dim() < 2 or settings.get("reduction") == "none":
            return shown
        program.applied(change, f"generalized cross-entropy with q={q:g}")
        known = target != settings.get("ignore_index", -100)
        chosen = torch.softmax(value, 1).gather(1, target.clamp_min(0).unsqueeze(1)).squeeze(1)[known]
        learned = (1 - chosen.clamp_min(_LEAST) ** q) / q
        total = learned.sum() if settings.get("reduction") == "sum" else learned.mean()
        return learned_from(shown, total)

    program.replace_losses(("cross_entropy",), loss)


def _edit_robust(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the generalized cross-entropy, (1 - p^q) / q, instead of the plain one."""
    loss = loss_of(source, run)
    settings = loss.made.args if loss.made is not loss.used else loss.used.args[2:]
    plain = [arg for arg in loss.used.args if not arg.keyword and not arg.star]
    if loss.function != "cross_entropy" or settings or len(plain) != len(loss.used.args[:2]):
        where = source.place(loss.made)
        raise RefusedError(f"{source.code(loss.made)} at {where} is not a plain cross-entropy over classes")
    scores, labels = (source.operand(arg.value) for arg in plain)
    q = number_text(change.number)
    softmax = imported(source, "torch.softmax", "torch")
    chosen = f"{softmax}({scores}, 1).gather(1, {labels}.unsqueeze(1)).clamp_min(1e-7)"
    new = expression(f"((1 - {chosen} ** {q}) / {q}).mean()")
    return replaced(source, loss.used, new)


ROBUST = Change(
    name="loss.robust",
    label="robust loss, q={}",
    forms=("loss.robust 0.7",),
    says="use generalized cross-entropy, which is robust to label noise",
    torch=_torch_robust,
    keras=TORCH_LAYERS_ONLY,
    edit=_edit_robust,
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)


def _torch_label_smoothing(program: Program, change: ChangeSpec) -> None:
    """Learn from smoothed labels; the loss is shown without."""
    share = change.number

    def loss(original: Loss, value: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        shown = original(value, target, **settings)
        program.applied(change, f"label smoothing set to {share:g}")
        return learned_from(shown, original(value, target, **{**settings, "label_smoothing": share}))

    program.replace_losses(("cross_entropy",), loss)


def _keras_label_smoothing(program: KerasProgram, change: ChangeSpec) -> None:
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


def _edit_label_smoothing(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the label smoothing of the cross-entropy."""
    arguments = trainer_call(source)
    name = "label_smoothing" if arguments is None else "label_smoothing_factor"
    call = arguments
    if call is None:
        loss = loss_of(source, run)
        if loss.function != "cross_entropy":
            raise RefusedError(f"{source.callee(loss.made)} has no label smoothing")
        call = loss.made
    arg = argument(call, (name,))
    if arg is not None:
        return scaled(source, run, "the label smoothing", arg, change.scaled)
    if not change.number or change.is_factor:
        raise RefusedError(f"no label smoothing at {source.place(call)}")
    return added(source, call, name, number_text(change.number))


SMOOTHING = Change(
    name="loss.label_smoothing",
    label="label smoothing {}",
    forms=("loss.label_smoothing 0.1", "loss.label_smoothing 0"),
    says="set the label smoothing of the cross-entropy loss",
    torch=_torch_label_smoothing,
    keras=_keras_label_smoothing,
    edit=_edit_label_smoothing,
    option=Option(
        ("label_smoothing", "smoothing", "label_smoothing_factor"),
        fact=LABEL_SMOOTHING,
        trainer="label_smoothing_factor",
    ),
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
    doses=Doses(off=Off(("0",), LABEL_SMOOTHING)),
)
