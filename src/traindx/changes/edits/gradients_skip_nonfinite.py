"""No step on gradients that are no numbers."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.loop import parameters_at, steps_of
from traindx.changes.source.source import Source
from traindx.changes.source.statements import under
from traindx.changes.source.syntax import imported
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Let the optimizer step only where all gradients are finite."""
    parts: dict[cst.CSTNode, New] = {}
    steps = steps_of(source, run)
    for step in steps:
        if step.scaler:
            raise RefusedError(f"{step.scaler} at {source.place(step.call)} skips such steps by itself")
        finite = imported(source, "torch.isfinite", "torch")
        held = parameters_at(source, run, step)
        test = f"all({finite}(p.grad).all() for p in {held} if p.grad is not None)"
        parts |= under(source, step.call, test)
    where = source.place(steps[0].call)
    return Edited(parts, f"{source.code(steps[0].call)} at {where} only where all gradients are finite")


EDIT = Edit(name="gradients.skip_nonfinite", edit=edit, where=(STEP_PLACE, OPTIMIZER_PLACE, SCRIPT))
