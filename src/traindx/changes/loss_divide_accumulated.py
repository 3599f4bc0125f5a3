"""Accumulated gradients as a mean."""

from __future__ import annotations

from collections.abc import Callable

from traindx.changes import cst, torch
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.source.loop import Step, backward_of, steps_of
from traindx.changes.source.loss import divided
from traindx.changes.source.source import Source
from traindx.changes.types import Change, ChangeSpec, Edited, Refusal, RefusedError
from traindx.facts import BACKWARD_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Divide gradients by the number of backward passes that they were summed over."""
    passes = 0

    def backward(
        original: Callable[..., object], loss: torch.Tensor, *args: object, **kwargs: object
    ) -> object:
        nonlocal passes
        passes += 1
        return original(loss, *args, **kwargs)

    def divide(optimizer: torch.optim.Optimizer) -> None:
        nonlocal passes
        if passes > 1:
            program.applied(change, f"gradients of {passes} backward passes averaged")
            for one in parameters_of(optimizer):
                if one.grad is not None:
                    one.grad.div_(passes)
        passes = 0

    program.patches.wrap(torch.Tensor, "backward", backward)
    program.before_step(divide)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Divide by the number that the step waits for, where gradients are taken."""
    backward = backward_of(source, run)
    steps = [count for one in steps_of(source, run) if (count := _count(source, one))]
    if not steps:
        raise RefusedError(f"no condition such as step % 4 == 0 around optimizer.step() in {source.shown}")
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


CHANGE = Change(
    name="loss.divide_accumulated",
    label="divide accumulated loss",
    says="divide gradients by the number of backward passes per optimizer step",
    torch=_torch,
    keras=Refusal("Keras already averages accumulated gradients"),
    edit=_edit,
    edited_file=(BACKWARD_PLACE, STEP_PLACE, SCRIPT),
)
