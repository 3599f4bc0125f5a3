"""Gradients cleared before the next are added to them."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.loop import backward_of, steps_of
from traindx.changes.source.source import Source
from traindx.changes.source.statements import after, before, small_statement
from traindx.changes.source.syntax import last_name
from traindx.changes.types import ChangeSpec
from traindx.facts import BACKWARD_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Clear before the backward pass; behind the step where gradients of several passes are added up."""
    step, *others = steps_of(source, run)
    if others:
        raise RefusedError(
            f"{step.optimizer} steps at {len(others) + 1} places; where to clear cannot be told"
        )
    backward = backward_of(source, run)
    clear = f"{step.optimizer}.zero_grad()"
    block, other = _block(source, backward), _block(source, step.call)
    cleared = (
        [one for one in source.all(cst.Call, block) if last_name(one.func) == "zero_grad"] if block else []
    )
    if cleared:
        raise RefusedError(f"gradients are cleared already at {source.place(cleared[0])}")
    passes = (
        [one for one in source.all(cst.Call, block) if last_name(one.func) == "backward"] if block else []
    )
    if block is not None and block is other and len(passes) == 1:
        says = f"{clear} before {source.code(backward)} at {source.place(backward)}"
        return Edited(before(source, backward, clear), says)
    return Edited(
        after(source, step.call, clear),
        f"{clear} behind {source.code(step.call)} at {source.place(step.call)}",
    )


def _block(source: Source, call: cst.Call) -> cst.CSTNode | None:
    """The block of statements a call stands in."""
    for one in source.around(small_statement(source, call)):
        if isinstance(one, cst.IndentedBlock | cst.SimpleStatementSuite | cst.Module):
            return one
    return None


EDIT = Edit(name="gradients.clear_each_step", edit=edit, where=(BACKWARD_PLACE, STEP_PLACE, SCRIPT))
