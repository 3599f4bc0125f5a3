"""Gradients cleared after each step."""

from __future__ import annotations

from traindx.changes import cst, keras, torch
from traindx.changes.live.keras_program import FitSettings, KerasProgram
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.source.loop import backward_of, steps_of
from traindx.changes.source.source import Source, after, before, small_statement
from traindx.changes.source.syntax import calls_of
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.facts import BACKWARD_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Drop the gradients as soon as they were used."""

    def clear(optimizer: torch.optim.Optimizer) -> None:
        program.applied(change, "gradients cleared after each step")
        for one in parameters_of(optimizer):
            one.grad = None

    program.after_step(clear)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Drop the gradients as soon as they were used, in a loop of the program's own."""
    fits = False

    def refuse(_: object, settings: FitSettings) -> FitSettings:
        nonlocal fits
        fits = True
        program.refuse(change, "Keras fit already clears gradients")
        return settings

    def clear(optimizer: keras.Optimizer) -> None:
        if fits:
            return
        program.applied(change, "gradients cleared after each step")
        for one in optimizer._trainable_variables:
            one._value.grad = None

    program.on_fit(refuse)
    program.stepping.after_step(clear)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Clear before the backward pass; behind the step where gradients of several passes are added up."""
    step, *others = steps_of(source, run)
    if others:
        raise RefusedError(f"{step.optimizer}.step() is called in {len(others) + 1} places, ambiguous")
    backward = backward_of(source, run)
    clear = f"{step.optimizer}.zero_grad()"
    block, other = _block(source, backward), _block(source, step.call)
    cleared = calls_of(source, {"zero_grad"}, block) if block else []
    if cleared:
        raise RefusedError(f"gradients are already cleared at {source.place(cleared[0])}")
    passes = calls_of(source, {"backward"}, block) if block else []
    if block is not None and block is other and len(passes) == 1:
        says = f"{clear} before {source.code(backward)} at {source.place(backward)}"
        return Edited(before(source, backward, clear), says)
    return Edited(
        after(source, step.call, clear),
        f"{clear} after {source.code(step.call)} at {source.place(step.call)}",
    )


def _block(source: Source, call: cst.Call) -> cst.CSTNode | None:
    """The block of statements a call stands in."""
    for one in source.around(small_statement(source, call)):
        if isinstance(one, cst.IndentedBlock | cst.SimpleStatementSuite | cst.Module):
            return one
    return None


CHANGE = Change(
    name="gradients.clear_each_step",
    label="zero_grad after each step",
    says="clear gradients after each optimizer step",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(BACKWARD_PLACE, STEP_PLACE, SCRIPT),
)
