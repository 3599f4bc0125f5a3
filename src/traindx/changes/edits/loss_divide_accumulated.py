"""The loss divided by the batches whose gradients are added up."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.loop import Step, backward_of, steps_of
from traindx.changes.source.loss import divided
from traindx.changes.source.source import Source
from traindx.changes.types import ChangeSpec
from traindx.facts import BACKWARD_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Divide by the number that the step waits for, where gradients are taken."""
    backward = backward_of(source, run)
    steps = [count for one in steps_of(source, run) if (count := _count(source, one))]
    if not steps:
        raise RefusedError(
            f"no condition such as step % 4 == 0 stands around the step of the optimizer in {source.shown}"
        )
    parts = divided(source, backward, steps[0])
    node, new = next(iter(parts.items()))
    assert isinstance(new, cst.BaseExpression)
    changed = backward.deep_replace(node, new)
    assert isinstance(changed, cst.Call)
    says = f"{source.code(backward)} -> {source.code(changed)} at {source.place(backward)}"
    return Edited(parts, says)


def _count(source: Source, step: Step) -> str:
    """N of the condition "... % N == 0" around a step."""
    for one in source.around(step.call):
        if not isinstance(one, cst.If):
            continue
        for operation in source.all(cst.BinaryOperation, one.test):
            if isinstance(operation.operator, cst.Modulo):
                return source.code(operation.right)
    return ""


EDIT = Edit(name="loss.divide_accumulated", edit=edit, where=(BACKWARD_PLACE, STEP_PLACE, SCRIPT))
