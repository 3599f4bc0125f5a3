"""The loss with the other sign."""

import libcst as cst

from traindx.changes.source.definitions import of_name
from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.loop import backward_of, differentiated
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression
from traindx.changes.types import ChangeSpec
from traindx.facts import BACKWARD_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take a minus away before what gradients are taken of, or put one there."""
    backward = backward_of(source, run)
    node = differentiated(source, backward)
    if isinstance(node, cst.Name):
        found = of_name(source, node.value, source.scope(node))
        if len(found) != 1 or found[0].value is None:
            places = " and ".join(source.place(one.holder) for one in found)
            raise RefusedError(f"{node.value} is computed at {len(found)} places: {places}")
        node = found[0].value
    elif not isinstance(node, cst.UnaryOperation):
        raise RefusedError(
            f"the loss at {source.place(backward)} is not kept under a name: {source.code(node)}"
        )
    new = _turned(source, node)
    says = f"{source.code(node)} -> {source.module.code_for_node(new)} at {source.place(node)}"
    return Edited({node: new}, says)


def _turned(source: Source, node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return expression(source.code(node.expression))
    return expression(f"-{source.operand(node)}")


EDIT = Edit(name="loss.negate", edit=edit, where=(BACKWARD_PLACE, SCRIPT))
