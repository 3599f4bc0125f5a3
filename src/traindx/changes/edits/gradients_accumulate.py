"""Several batches for each step."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.literal import literal_behind, rewritten
from traindx.changes.source.loop import Step, backward_of, is_visible, loop_around, steps_of
from traindx.changes.source.loss import divided
from traindx.changes.source.optimizer import Keywords, told_by
from traindx.changes.source.source import Source
from traindx.changes.source.statements import before, removed, under
from traindx.changes.source.syntax import argument, calls_of, expression, last_name, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import BACKWARD_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run

_COUNT = "batch_index"
_KEYWORDS = Keywords(
    "gradient_accumulation_steps", "accumulate_grad_batches", ("gradient_accumulation_steps",)
)


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Let gradients of so many batches add up before each step."""
    batches = max(1, round(change.number))
    framework = told_by(source, run, _KEYWORDS)
    if framework is not None:
        return _setting(source, run, *framework, batches)
    step, *others = steps_of(source, run)
    backward = backward_of(source, run)
    loop = loop_around(source, step.call)
    if others or not isinstance(loop, cst.For) or loop_around(source, backward) is not loop:
        raise RefusedError(f"{source.shown} does not step once for each batch of one loop")
    parts = _counted(source, loop)
    count = next(name for name in (_index(loop), _COUNT) if name)
    parts |= _cleared(source, loop, step)
    parts |= divided(source, backward, str(batches))
    clear = f"{step.optimizer}.zero_grad()"
    parts |= under(source, step.call, f"({count} + 1) % {batches} == 0", clear)
    where = source.place(step.call)
    return Edited(parts, f"{source.code(step.call)} at {where} after each {batches} batches, with their mean")


def _setting(source: Source, run: Run, call: cst.Call, name: str, batches: int) -> Edited:
    given = argument(call, (name,))
    if given is not None:
        literal = literal_behind(source, run, "the batches of a step", given.value, given)
        return rewritten(source, literal, literal.value * batches, whole=True)
    return Edited(
        {call: with_argument(call, name, str(batches))}, f"{name}={batches} at {source.place(call)}"
    )


def _index(loop: cst.For) -> str:
    """The name of the count in "for i, batch in enumerate(loader)"."""
    numbered = isinstance(loop.iter, cst.Call) and last_name(loop.iter.func) == "enumerate"
    if not numbered or not isinstance(loop.iter, cst.Call) or len(loop.iter.args) != 1:
        return ""
    first = loop.target.elements[0].value if isinstance(loop.target, cst.Tuple) else None
    return first.value if isinstance(first, cst.Name) else ""


def _counted(source: Source, loop: cst.For) -> dict[cst.CSTNode, New]:
    """A loop that counts its batches."""
    if _index(loop):
        return {}
    if is_visible(source, _COUNT, source.scope(loop)):
        raise RefusedError(f"{source.shown} uses the name {_COUNT} for something else")
    target = source.code(loop.target)
    if isinstance(loop.target, cst.Tuple) and not loop.target.lpar:
        target = f"({target})"
    numbered = expression(f"({_COUNT}, {target})").with_changes(lpar=(), rpar=())
    return {loop.target: numbered, loop.iter: expression(f"enumerate({source.code(loop.iter)})")}


def _cleared(source: Source, loop: cst.For, step: Step) -> dict[cst.CSTNode, New]:
    """Gradients cleared before the loop and behind each step, no longer before each batch."""
    found = [one for one in calls_of(source, {"zero_grad"}, loop) if isinstance(source.parent(one), cst.Expr)]
    if len(found) != 1:
        raise RefusedError(
            f"gradients are cleared at {len(found)} places of the loop at {source.place(loop)}"
        )
    return {**removed(source, found[0]), **before(source, loop, f"{step.optimizer}.zero_grad()")}


EDIT = Edit(name="gradients.accumulate", edit=edit, where=(STEP_PLACE, BACKWARD_PLACE, SCRIPT))
