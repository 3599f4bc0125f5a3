"""Classes weighed by the inverse of their frequency."""

import libcst as cst

from traindx.changes.source.arrays import arrays_of
from traindx.changes.source.definitions import of_name
from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.loop import is_visible, loader_call
from traindx.changes.source.loss import Loss, loss_of
from traindx.changes.source.source import Source
from traindx.changes.source.statements import after, before
from traindx.changes.source.syntax import argument, imported, last_name, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run

_COUNTS, _LABELS, _WEIGHTS = "class_counts", "train_labels", "class_weights"


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Count the labels of the training data before the loss is made, and weigh by them."""
    loss = loss_of(source, run)
    for name in ("weight", "pos_weight"):
        if argument(loss.made, (name,)) is not None:
            raise RefusedError(f"classes are weighed already at {source.place(loss.made)}")
    if loss.made is loss.used:
        return _of_function(source, run, loss)
    value = _labels(source, run, loss.made)
    labels, first = source.code(value), []
    if isinstance(value, cst.Call):
        labels, first = _LABELS, [f"{_LABELS} = {source.code(value)}"]
    for name in (_COUNTS, _LABELS):
        if is_visible(source, name, source.scope(loss.made)):
            raise RefusedError(f"{source.shown} uses the name {name} for something else")
    if loss.function == "binary_cross_entropy_with_logits":
        text = f"({labels} == 0).sum() / ({labels} == 1).sum()"
        says = f"pos_weight={text} at {source.place(loss.made)}"
        return Edited(_weighed(source, loss.made, "pos_weight", text, first), says)
    if loss.function != "cross_entropy":
        raise RefusedError(
            f"{source.code(loss.made.func)} at {source.place(loss.made)} does not weigh classes"
        )
    counts = f"{_COUNTS} = {imported(source, 'torch.bincount', 'torch')}({labels})"
    weight = f"{_COUNTS}.sum() / (len({_COUNTS}) * {_COUNTS})"
    parts = _weighed(source, loss.made, "weight", weight, [*first, counts])
    return Edited(parts, f"weight={weight} with {counts} at {source.place(loss.made)}")


def _of_function(source: Source, run: Run, loss: Loss) -> Edited:
    """Weights computed once behind the labels, and given to the function at each call."""
    positive = loss.function == "binary_cross_entropy_with_logits"
    if not positive and loss.function not in ("cross_entropy", "nll_loss"):
        raise RefusedError(
            f"{source.code(loss.made.func)} at {source.place(loss.made)} does not weigh classes"
        )
    arrays = arrays_of(source, run, 1)
    scope = source.scope(arrays.train.made)
    if scope is not source.module and scope is not source.scope(loss.used):
        raise RefusedError(
            f"the labels at {source.place(arrays.train.made)} are not known where the loss is computed"
        )
    for name in (_COUNTS, _WEIGHTS, _LABELS):
        if is_visible(source, name, source.scope(loss.used)):
            raise RefusedError(f"{source.shown} uses the name {name} for something else")
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


def _labels(source: Source, run: Run, made: cst.Call) -> cst.BaseExpression:
    """The labels of the training data as they can be spelled where the loss is made."""
    loader = loader_call(source, run)
    data = argument(loader, ("dataset",), 0)
    value = data.value if data else None
    if isinstance(value, cst.Name):
        found = of_name(source, value.value, source.scope(value))
        value = found[0].value if len(found) == 1 else None
    named = isinstance(value, cst.Call) and last_name(value.func) == "TensorDataset" and len(value.args) == 2
    if not named or not isinstance(value, cst.Call):
        raise RefusedError(f"the labels of the data at {source.place(loader)} have no name of their own")
    labels = value.args[1].value
    wrapped = isinstance(labels, cst.Call) and last_name(labels.func) in ("from_numpy", "tensor", "as_tensor")
    if not (wrapped or isinstance(labels, cst.Name | cst.Subscript)) or any(one.star for one in value.args):
        raise RefusedError(
            f"the labels at {source.place(value)} have no name of their own: {source.code(labels)}"
        )
    same = source.scope(value) is source.scope(made)
    if not same or source.lines(value)[0] > source.lines(made)[0]:
        raise RefusedError(f"the labels at {source.place(value)} are not known yet where the loss is made")
    return labels


EDIT = Edit(name="loss.class_weights", edit=edit, where=(LOSS_PLACE, SCRIPT))
