"""Classes weighed by how rare they are."""

from __future__ import annotations

from dataclasses import replace

from traindx.changes import cst, torch
from traindx.changes.live.keras_program import (
    BINARY,
    CATEGORICAL,
    SPARSE,
    KerasCall,
    KerasLoss,
    KerasProgram,
    is_called_by_keras_loss,
    kind_of,
    sparse_labels,
)
from traindx.changes.live.program import Loss as TorchLoss
from traindx.changes.live.program import Program, learned_from
from traindx.changes.source.arrays import arrays_of
from traindx.changes.source.definitions import of_name
from traindx.changes.source.loop import loader_call, refuse_taken
from traindx.changes.source.loss import Loss, loss_of
from traindx.changes.source.source import Source, after, before
from traindx.changes.source.syntax import argument, imported, last_name, with_argument
from traindx.changes.types import Change, ChangeSpec, Edited, Measure, New, RefusedError
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run

_COUNTS, _LABELS, _WEIGHTS = "class_counts", "train_labels", "class_weights"


def _torch(program: Program, change: ChangeSpec) -> None:
    """Weigh classes by the inverse of their frequency until now; the loss is shown unweighted."""
    counts = _Counts()

    def of_classes(
        original: TorchLoss, prediction: torch.Tensor, target: torch.Tensor, **settings: object
    ) -> torch.Tensor:
        shown = original(prediction, target, **settings)
        if is_called_by_keras_loss() or target.is_floating_point() or prediction.dim() < 2:
            return shown
        if settings.get("weight") is not None:
            return shown
        weights = counts.balance(target, prediction.shape[1])
        program.applied(change, f"{prediction.shape[1]} classes weighted by inverse frequency")
        return learned_from(
            shown, original(prediction, target, **{**settings, "weight": weights.to(prediction)})
        )

    def weight_of_yes(target: torch.Tensor) -> torch.Tensor:
        """How often no was there for each yes until now: one number for each column of a table."""
        rows = target.detach().double().reshape(-1, target.shape[-1] if target.dim() == 2 else 1)
        counted = counts.add(torch.stack([rows.sum(0), len(rows) - rows.sum(0)]))
        program.applied(change, "positive class weighted by inverse frequency")
        return (counted[1] / counted[0].clamp_min(1)).clamp(0.01, 100)

    def of_scores(
        original: TorchLoss, prediction: torch.Tensor, target: torch.Tensor, **settings: object
    ) -> torch.Tensor:
        shown = original(prediction, target, **settings)
        if settings.get("pos_weight") is not None or is_called_by_keras_loss():
            return shown
        weight = weight_of_yes(target).to(prediction)
        return learned_from(shown, original(prediction, target, **{**settings, "pos_weight": weight}))

    def of_probabilities(
        original: TorchLoss, prediction: torch.Tensor, target: torch.Tensor, **settings: object
    ) -> torch.Tensor:
        shown = original(prediction, target, **settings)
        if is_called_by_keras_loss():
            return shown
        # This loss knows no pos_weight: its weight is one of each element.
        weight = 1 + (weight_of_yes(target).to(prediction) - 1) * target
        own = settings.get("weight")
        weight = weight * own if isinstance(own, torch.Tensor) else weight
        return learned_from(shown, original(prediction, target, **{**settings, "weight": weight}))

    program.replace_losses(("cross_entropy", "nll_loss"), of_classes)
    program.replace_losses(("binary_cross_entropy_with_logits",), of_scores)
    program.replace_losses(("binary_cross_entropy",), of_probabilities)


class _Counts:
    """How often each class has been the target until now."""

    def __init__(self) -> None:
        self._seen: torch.Tensor | None = None

    def add(self, seen: torch.Tensor) -> torch.Tensor:
        """The counts with those of one more batch; of another number of classes they begin anew."""
        known = self._seen
        self._seen = seen if known is None or known.shape != seen.shape else known + seen
        return self._seen

    def balance(self, labels: torch.Tensor, classes: int) -> torch.Tensor:
        """The weight of each class after one more batch."""
        known = labels[(labels >= 0) & (labels < classes)].flatten()
        counted = self.add(torch.bincount(known, minlength=classes).double())
        return counted.sum() / (classes * counted.clamp_min(1))


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Weigh samples by how rare their class has been until now; the loss is shown unweighted."""
    counts = _Counts()

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        shown = original(call)
        labels = _labels(call)
        if labels is None:
            kind = kind_of(call.loss)
            program.refuse(change, f"targets of {kind} are not one class per sample")
            return shown
        if call.weights is not None:
            program.refuse(change, "the program already uses sample weights")
            return shown
        classes = max(2, int(call.given.shape[-1]))
        balance = counts.balance(labels, classes)
        program.applied(change, f"{classes} classes weighted by inverse frequency")
        rare = balance.to(call.given)[labels.clamp(0, classes - 1)]
        return learned_from(shown, original(replace(call, weights=rare)))

    program.replace_losses(compute)


def _labels(call: KerasCall) -> torch.Tensor | None:
    """The class of each sample; None where it has none or several."""
    kind, prediction = kind_of(call.loss), call.given
    if kind == SPARSE:
        return sparse_labels(call)
    if kind == CATEGORICAL:
        return call.target.argmax(-1)
    if kind == BINARY and prediction.shape[-1] == 1:
        return (call.target.reshape(prediction.shape[:-1]) > 0.5).long()
    return None


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Count the labels of the training data before the loss is made, and weigh by them."""
    loss = loss_of(source, run)
    for name in ("weight", "pos_weight"):
        if argument(loss.made, (name,)) is not None:
            raise RefusedError(f"classes are already weighted at {source.place(loss.made)}")
    if loss.made is loss.used:
        return _of_function(source, run, loss)
    value = _label_array(source, run, loss.made)
    labels, first = source.code(value), []
    if isinstance(value, cst.Call):
        labels, first = _LABELS, [f"{_LABELS} = {source.code(value)}"]
    refuse_taken(source, source.scope(loss.made), _COUNTS, _LABELS)
    if loss.function == "binary_cross_entropy_with_logits":
        text = f"({labels} == 0).sum() / ({labels} == 1).sum()"
        says = f"pos_weight={text} at {source.place(loss.made)}"
        return Edited(_weighed(source, loss.made, "pos_weight", text, first), says)
    if loss.function != "cross_entropy":
        raise RefusedError(f"{source.callee(loss.made)} takes no class weights")
    counts = f"{_COUNTS} = {imported(source, 'torch.bincount', 'torch')}({labels})"
    weight = f"{_COUNTS}.sum() / (len({_COUNTS}) * {_COUNTS})"
    parts = _weighed(source, loss.made, "weight", weight, [*first, counts])
    return Edited(parts, f"weight={weight} with {counts} at {source.place(loss.made)}")


def _of_function(source: Source, run: Run, loss: Loss) -> Edited:
    """Weights computed once behind the labels, and given to the function at each call."""
    positive = loss.function == "binary_cross_entropy_with_logits"
    if not positive and loss.function not in ("cross_entropy", "nll_loss"):
        raise RefusedError(f"{source.callee(loss.made)} takes no class weights")
    arrays = arrays_of(source, run, 1)
    scope = source.scope(arrays.train.made)
    if scope is not source.module and scope is not source.scope(loss.used):
        raise RefusedError(f"the labels of {source.place(arrays.train.made)} are not in scope of the loss")
    refuse_taken(source, source.scope(loss.used), _COUNTS, _WEIGHTS, _LABELS)
    labels = f"{imported(source, 'torch.as_tensor', 'torch')}({arrays.fitted})"
    if positive:
        written = [f"{_LABELS} = {labels}", f"{_WEIGHTS} = ({_LABELS} == 0).sum() / ({_LABELS} == 1).sum()"]
    else:
        counted = f"{imported(source, 'torch.bincount', 'torch')}({labels})"
        written = [f"{_COUNTS} = {counted}", f"{_WEIGHTS} = {_COUNTS}.sum() / (len({_COUNTS}) * {_COUNTS})"]
    key = "pos_weight" if positive else "weight"
    parts: dict[cst.CSTNode, New] = {
        **after(source, arrays.train.made, *written),
        loss.used: with_argument(loss.used, key, _WEIGHTS),
    }
    return Edited(parts, f"{key}={_WEIGHTS} at {source.place(loss.used)} with {'; '.join(written)}")


def _weighed(
    source: Source, made: cst.Call, name: str, text: str, first: list[str]
) -> dict[cst.CSTNode, New]:
    put = before(source, made, *first) if first else {}
    return {**put, made: with_argument(made, name, text)}


def _label_array(source: Source, run: Run, made: cst.Call) -> cst.BaseExpression:
    """The labels of the training data as they can be spelled where the loss is made."""
    loader = loader_call(source, run)
    data = argument(loader, ("dataset",), 0)
    value = data.value if data else None
    if isinstance(value, cst.Name):
        definitions = of_name(source, value.value, source.scope(value))
        value = definitions[0].value if len(definitions) == 1 else None
    named = isinstance(value, cst.Call) and last_name(value.func) == "TensorDataset" and len(value.args) == 2
    if not named or not isinstance(value, cst.Call):
        raise RefusedError(f"the labels are not in a variable at {source.place(loader)}")
    labels = value.args[1].value
    wrapped = isinstance(labels, cst.Call) and last_name(labels.func) in ("from_numpy", "tensor", "as_tensor")
    if not (wrapped or isinstance(labels, cst.Name | cst.Subscript)) or any(arg.star for arg in value.args):
        raise RefusedError(
            f"the labels are not in a variable ({source.code(labels)}) at {source.place(value)}"
        )
    same = source.scope(value) is source.scope(made)
    if not same or source.lines(value)[0] > source.lines(made)[0]:
        raise RefusedError(f"the loss is created before the labels of {source.place(value)}")
    return labels


CHANGE = Change(
    name="loss.class_weights",
    label="{} class weights",
    forms=("loss.class_weights balanced",),
    says="weight classes by inverse frequency",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=(Measure.BALANCED_ERROR, Measure.ERROR),
)
