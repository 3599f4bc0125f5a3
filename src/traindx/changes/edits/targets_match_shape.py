"""Targets in the shape of the predictions."""

from contextlib import suppress

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.loss import loss_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression
from traindx.changes.types import ChangeSpec
from traindx.facts import LOSS_PLACE, LOSS_SHAPES, SCRIPT, VALIDATION_PLACE
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Give the target of the loss the shape of the prediction, in training and in validation."""
    first = loss_of(source, run).used
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
    plain = [one.value for one in call.args if not one.keyword]
    if len(plain) < 2:
        raise RefusedError(f"prediction and target of the loss at {source.place(call)} do not go by place")
    prediction, target = plain[0], plain[1]
    code = source.operand(target)
    if isinstance(prediction, cst.Name | cst.Attribute):
        return target, expression(f"{code}.view_as({source.code(prediction)})")
    # A prediction that is computed in place would be computed twice; the shapes tell what is missing.
    predicted, _, wanted = str(run.facts.get(LOSS_SHAPES, "")).partition(" against ")
    if predicted.endswith(", 1)") and wanted == predicted.replace(", 1)", ",)"):
        return target, expression(f"{code}.unsqueeze(-1)")
    code = source.code(prediction)
    raise RefusedError(f"the prediction at {source.place(call)} has no name to take its shape from: {code}")


EDIT = Edit(name="targets.match_shape", edit=edit, where=(LOSS_PLACE, SCRIPT))
