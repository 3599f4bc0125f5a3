"""A loss with the other sign."""

from __future__ import annotations

from collections.abc import Callable

from traindx.changes import cst, torch
from traindx.changes.live.program import Program
from traindx.changes.source.definitions import of_name
from traindx.changes.source.loop import backward_of, differentiated
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression
from traindx.changes.types import BY_ERRORS, Change, ChangeSpec, Edited, Measure, RefusedError, as_in_torch
from traindx.facts import BACKWARD_PLACE, SCRIPT
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Go down where the program goes up: each gradient with the other sign."""

    def backward(
        original: Callable[..., object],
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


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take a minus away before what gradients are taken of, or put one there."""
    backward = backward_of(source, run)
    node = differentiated(source, backward)
    if isinstance(node, cst.Name):
        found = of_name(source, node.value, source.scope(node))
        if len(found) != 1 or found[0].value is None:
            places = " and ".join(source.place(one.holder) for one in found)
            raise RefusedError(f"{node.value} is assigned in {len(found)} places ({places})")
        node = found[0].value
    elif not isinstance(node, cst.UnaryOperation):
        raise RefusedError(f"the loss is not in a variable ({source.code(node)}) at {source.place(backward)}")
    new = _turned(source, node)
    says = f"{source.code(node)} -> {source.module.code_for_node(new)} at {source.place(node)}"
    return Edited({node: new}, says)


def _turned(source: Source, node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return expression(source.code(node.expression))
    return expression(f"-{source.operand(node)}")


CHANGE = Change(
    name="loss.negate",
    label="flip the loss sign",
    says="flip the sign of the loss",
    torch=_torch,
    keras=as_in_torch,
    edit=_edit,
    edited_file=(BACKWARD_PLACE, SCRIPT),
    compared_by=(*BY_ERRORS, Measure.LOSS_SIZE),
)
