"""Steps left out whose gradients are not finite."""

from __future__ import annotations

from collections.abc import Sequence

from traindx.changes import cst, keras, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.source.loop import parameters_at, steps_of
from traindx.changes.source.source import Source, under
from traindx.changes.source.syntax import imported
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Drop the gradients of a batch that gave a NaN or an infinity."""

    def drop(optimizer: torch.optim.Optimizer) -> None:
        held = [parameter for parameter in parameters_of(optimizer) if parameter.grad is not None]
        if _are_broken(program, change, [parameter.grad for parameter in held]):
            for parameter in held:
                parameter.grad = None

    program.before_step(drop)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Leave weights and optimizer alone in a step whose gradients hold a NaN or an infinity."""

    def skip(_: keras.Optimizer, gradients: Sequence[torch.Tensor]) -> None:
        if _are_broken(program, change, gradients):
            program.stepping.skip()

    program.stepping.before_step(skip)


def _are_broken(
    program: Program | KerasProgram, change: ChangeSpec, gradients: Sequence[torch.Tensor]
) -> bool:
    if all(bool(torch.isfinite(gradient).all()) for gradient in gradients):
        return False
    says = f"batches with NaN or infinite gradients skipped, from step {program.taken + 1}"
    program.applied(change, says)
    return True


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Let the optimizer step only where all gradients are finite."""
    parts: dict[cst.CSTNode, New] = {}
    steps = steps_of(source, run)
    for step in steps:
        if step.scaler:
            raise RefusedError(f"{step.scaler} already skips non-finite steps at {source.place(step.call)}")
        finite = imported(source, "torch.isfinite", "torch")
        held = parameters_at(source, run, step)
        test = f"all({finite}(p.grad).all() for p in {held} if p.grad is not None)"
        parts |= under(source, step.call, test)
    where = source.place(steps[0].call)
    return Edited(parts, f"{source.code(steps[0].call)} only if all gradients are finite, at {where}")


CHANGE = Change(
    name="gradients.skip_nonfinite",
    label="skip non-finite gradients",
    says="skip the optimizer step if a gradient is NaN or infinite",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(STEP_PLACE, OPTIMIZER_PLACE, SCRIPT),
)
