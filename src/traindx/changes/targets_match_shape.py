"""Targets in the shape of the predictions."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from traindx.changes import cst, keras, torch
from traindx.changes.live.keras_program import KerasCall, KerasLoss, KerasProgram
from traindx.changes.live.program import Loss, Program
from traindx.changes.source.literal import joined, replaced
from traindx.changes.source.loss import loss_of
from traindx.changes.source.loss_code import (
    code_of_loss,
    is_named_loss,
    is_of_model,
    is_prediction,
    nodes_of_loss,
)
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import calls_of, expression, last_name, path_of
from traindx.changes.types import BY_ERRORS, Change, ChangeSpec, Edited, New, RefusedError
from traindx.facts import BACKWARD_PLACE, LOSS_PLACE, LOSS_SHAPES, SCRIPT, VALIDATION_PLACE
from traindx.run import Run

_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
_BY_HAND = ("__sub__", "sub", "__mul__", "mul")
"""How predictions and targets meet in a loss that is written out."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Give targets the shape of predictions where both hold as many numbers."""
    matching = _Matching(program, change)
    # In validation as well: a loss that compares all with all says nothing there either.
    program.replace_losses(_LOSSES, matching.of_loss, while_validating=True)
    for name in _BY_HAND:
        program.patches.wrap_inherited(torch.Tensor, name, matching.of_operator)


class _Matching:
    """What predictions are compared with, by functions and by hand."""

    def __init__(self, program: Program | KerasProgram, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self._was_needed = False
        """Whether targets had another shape in training: without gradients nothing else tells them."""

    def of_loss(
        self, original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object
    ) -> torch.Tensor:
        if given.shape != target.shape and given.numel() == target.numel():
            target = self.matched(target, given)
        return original(given, target, **settings)

    def of_operator(
        self,
        original: Callable[..., torch.Tensor],
        one: torch.Tensor,
        other: object,
        *args: object,
        **kwargs: object,
    ) -> torch.Tensor:
        if isinstance(other, torch.Tensor) and _repeat_each_other(one, other):
            if one.requires_grad and not other.requires_grad:
                other = self.matched(other, one)
            elif other.requires_grad and not one.requires_grad:
                one = self.matched(one, other)
            elif self._was_needed and not torch.is_grad_enabled():
                other = self.matched(other, one)
        return original(one, other, *args, **kwargs)

    def matched(self, target: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
        """Targets in the shape of what the model gives."""
        self._was_needed = True
        says = f"targets of shape {tuple(target.shape)} reshaped to {tuple(given.shape)}"
        self._program.applied(self._change, says)
        return target.reshape(given.shape)


def _repeat_each_other(tensor: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether (N, 1) meets (N,), which makes (N, N) of them."""
    if tensor.dim() + other.dim() != 3 or tensor.numel() != other.numel() or tensor.numel() < 2:
        return False
    shape = tuple(tensor.shape if tensor.dim() == 2 else other.shape)
    return len(shape) == 2 and shape[1] == 1


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Give targets the shape of predictions where both hold as many numbers and Keras does not do it."""
    matching = _Matching(program, change)

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        prediction, target = call.given, call.target
        if isinstance(call.loss, keras.src.losses.losses.LossFunctionWrapper):
            program.refuse(change, "Keras already reshapes targets to the predictions")
        elif prediction.shape != target.shape and prediction.numel() == target.numel():
            call = replace(call, target=matching.matched(target, prediction))
        return original(call)

    program.replace_losses(compute)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Give the target of the loss the shape of the prediction, in training and in validation."""
    try:
        first = loss_of(source, run).used
    except RefusedError as why:
        return _edit_by_hand(source, run, why)
    calls = [first]
    with suppress(RefusedError):
        # What validation computes otherwise is none of this change.
        other = loss_of(source, run, VALIDATION_PLACE).used
        _matched(source, run, other)
        calls += [other] if other is not first else []
    parts: dict[cst.CSTNode, New] = {}
    says = []
    for call in calls:
        target, new = _matched(source, run, call)
        parts[target] = new
        says.append(f"{source.code(target)} -> {source.module.code_for_node(new)} at {source.place(call)}")
    return Edited(parts, ", ".join(says))


def _matched(source: Source, run: Run, call: cst.Call) -> tuple[cst.BaseExpression, cst.BaseExpression]:
    plain = [arg.value for arg in call.args if not arg.keyword]
    if len(plain) < 2:
        raise RefusedError(
            f"the loss does not take prediction and target as positional arguments at {source.place(call)}"
        )
    prediction, target = plain[0], plain[1]
    code = source.operand(target)
    if isinstance(prediction, cst.Name | cst.Attribute):
        return target, expression(f"{code}.view_as({source.code(prediction)})")
    # A prediction that is computed in place would be computed twice; the shapes tell what is missing.
    predicted, _, wanted = str(run.facts.get(LOSS_SHAPES, "")).partition(" against ")
    if predicted.endswith(", 1)") and wanted == predicted.replace(", 1)", ",)"):
        return target, expression(f"{code}.unsqueeze(-1)")
    code = source.code(prediction)
    raise RefusedError(f"the prediction is not in a variable ({code}) at {source.place(call)}")


_RESHAPES = {"(N, 1) against (N,)": "squeeze(-1)", "(N,) against (N, 1)": "unsqueeze(-1)"}
"""What gives a prediction the shape of its target."""


def _edit_by_hand(source: Source, run: Run, why: RefusedError) -> Edited:
    """Give the prediction the shape of the target, where it meets it in a loss that is written by hand."""
    shapes = re.sub(r"\b\d\d+\b|\b[2-9]\b", "N", str(run.facts.get(LOSS_SHAPES, "")))
    if shapes not in _RESHAPES:
        raise why
    predictions = _given_to_loss(source, run) or _subtracted(source, run)
    if not predictions:
        raise RefusedError(f"no prediction that meets its target found in the loss code of {source.shown}")
    return joined(
        replaced(source, node, expression(f"{source.operand(node)}.{_RESHAPES[shapes]}"))
        for node in predictions
    )


def _given_to_loss(source: Source, run: Run) -> list[cst.BaseExpression]:
    """The predictions that the loss function of the user is given, wherever it is called."""
    found = [
        (call, part)
        for block in code_of_loss(source, run)
        for call in nodes_of_loss(source, run, block)
        if isinstance(call, cst.Call) and (part := _prediction(source, run, call)) is not None
    ]
    names = {last_name(call.func) for call, _ in found}
    names = {name for name in names if is_named_loss(name)} or names
    if len(names) > 1:
        places = " and ".join(source.place(call) for call, _ in found)
        raise RefusedError(f"several functions are given predictions and targets ({places})")
    every = (_prediction(source, run, call) for call in calls_of(source, names))
    return [value for value in every if value is not None]


def _prediction(source: Source, run: Run, call: cst.Call) -> cst.BaseExpression | None:
    """The one argument of a function of the user that is a prediction, if it is given others as well."""
    if path_of(source, call.func).startswith("torch.") or is_of_model(source, run, call):
        return None
    expressions = [arg.value for arg in call.args if not arg.star]
    predicted = [part for part in expressions if is_prediction(source, run, part)]
    is_text = any(isinstance(part, cst.SimpleString | cst.FormattedString) for part in expressions)
    return predicted[0] if len(predicted) == 1 and len(expressions) > 1 and not is_text else None


def _subtracted(source: Source, run: Run) -> list[cst.BaseExpression]:
    """The predictions in differences of the loss."""
    expressions: list[cst.BaseExpression] = []
    for node in (outer for block in code_of_loss(source, run) for outer in nodes_of_loss(source, run, block)):
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Subtract):
            sides = [part for part in (node.left, node.right) if is_prediction(source, run, part)]
            expressions += sides if len(sides) == 1 else []
    if len({source.code(part) for part in expressions}) > 1:
        places = " and ".join(source.place(part) for part in expressions)
        raise RefusedError(f"predictions and targets meet in several places ({places})")
    return expressions


CHANGE = Change(
    name="targets.match_shape",
    label="match target shape",
    says="reshape targets to the shape of the predictions if both have the same size",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(LOSS_PLACE, BACKWARD_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)
