"""The value of a loss: its sign, its divisor, and terms that stay finite."""

from __future__ import annotations

from traindx.changes import cst, torch
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.source.definitions import of_name
from traindx.changes.source.literal import replaced
from traindx.changes.source.loop import Step, backward_of, differentiated, steps_of
from traindx.changes.source.loss import divided
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression
from traindx.changes.types import (
    BY_ERRORS,
    Change,
    ChangeSpec,
    Edited,
    Measure,
    Refusal,
    RefusedError,
    as_in_torch,
)
from traindx.facts import BACKWARD_PLACE, SCRIPT, STEP_PLACE
from traindx.recorder.hooks.monkeypatch import Function
from traindx.run import Run


def _torch_negate(program: Program, change: ChangeSpec) -> None:
    """Go down where the program goes up: each gradient with the other sign."""

    def backward(
        original: Function,
        loss: torch.Tensor,
        gradient: torch.Tensor | None = None,
        *args: object,
        **kwargs: object,
    ) -> object:
        if gradient is None and loss.numel() == 1:
            program.applied(change, "the loss is minimized with its sign flipped")
            gradient = -loss.new_ones(loss.shape)
        return original(loss, gradient, *args, **kwargs)

    program.patches.wrap(torch.Tensor, "backward", backward)


def _edit_negate(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take a minus away before what gradients are taken of, or put one there."""
    backward = backward_of(source, run)
    node = differentiated(source, backward)
    if isinstance(node, cst.Name):
        definitions = of_name(source, node.value, source.scope(node))
        if len(definitions) != 1 or definitions[0].value is None:
            places = " and ".join(source.place(definition.holder) for definition in definitions)
            raise RefusedError(f"{node.value} is assigned in {len(definitions)} places ({places})")
        node = definitions[0].value
    elif not isinstance(node, cst.UnaryOperation):
        raise RefusedError(f"the loss is not in a variable ({source.code(node)}) at {source.place(backward)}")
    return replaced(source, node, _turned(source, node))


def _turned(source: Source, node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return expression(source.code(node.expression))
    return expression(f"-{source.operand(node)}")


NEGATE = Change(
    name="loss.negate",
    label="flip the loss sign",
    says="flip the sign of the loss",
    torch=_torch_negate,
    keras=as_in_torch,
    edit=_edit_negate,
    edited_file=(BACKWARD_PLACE, SCRIPT),
    compared_by=(*BY_ERRORS, Measure.LOSS_SIZE),
)


def _torch_divide_accumulated(program: Program, change: ChangeSpec) -> None:
    """Divide gradients by the number of backward passes that they were summed over."""
    passes = 0

    def backward(original: Function, loss: torch.Tensor, *args: object, **kwargs: object) -> object:
        nonlocal passes
        passes += 1
        return original(loss, *args, **kwargs)

    def divide(optimizer: torch.optim.Optimizer) -> None:
        nonlocal passes
        if passes > 1:
            program.applied(change, f"gradients of {passes} backward passes averaged")
            for parameter in parameters_of(optimizer):
                if parameter.grad is not None:
                    parameter.grad.div_(passes)
        passes = 0

    program.patches.wrap(torch.Tensor, "backward", backward)
    program.before_step(divide)


def _edit_divide_accumulated(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Divide by the number that the step waits for, where gradients are taken."""
    backward = backward_of(source, run)
    steps = [count for step in steps_of(source, run) if (count := _count(source, step))]
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
    for outer in source.around(step.call):
        if not isinstance(outer, cst.If):
            continue
        for operation in source.all(cst.BinaryOperation, outer.test):
            if isinstance(operation.operator, cst.Modulo):
                return source.code(operation.right)
    return ""


DIVIDE_ACCUMULATED = Change(
    name="loss.divide_accumulated",
    label="divide accumulated loss",
    says="divide gradients by the number of backward passes per optimizer step",
    torch=_torch_divide_accumulated,
    keras=Refusal("Keras already averages accumulated gradients"),
    edit=_edit_divide_accumulated,
    edited_file=(BACKWARD_PLACE, STEP_PLACE, SCRIPT),
)
