"""The loss divided by the batches whose gradients are added up."""

import libcst as cst

from traindx.change import Change
from traindx.editing.edit import Edit, Edited, RefusedError
from traindx.editing.loop import Step, backward_of, steps_of
from traindx.editing.source import Source
from traindx.editing.words import expression, last_name
from traindx.facts import BACKWARD_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run


def edit(source: Source, _: Change, run: Run) -> Edited:
    """Divide by the number that the step waits for, where gradients are taken."""
    backward = backward_of(source, run)
    steps = [count for one in steps_of(source, run) if (count := _count(source, one))]
    if not steps:
        raise RefusedError(
            f"no condition such as step % 4 == 0 stands around the step of the optimizer in {source.shown}"
        )
    node = _scaled(backward)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide):
        raise RefusedError(f"the loss is divided already at {source.place(backward)}")
    divided = f"{_operand(source, node)} / {steps[0]}"
    inside = isinstance(source.parent(node), cst.Arg)
    new = expression(divided if inside else f"({divided})")
    changed = backward.deep_replace(node, new)
    assert isinstance(changed, cst.Call)
    says = f"{source.code(backward)} -> {source.code(changed)} at {source.place(backward)}"
    return Edited({node: new}, says)


def _scaled(backward: cst.Call) -> cst.BaseExpression:
    """What gradients are taken of, inside of scaler.scale(...) where there is one."""
    assert isinstance(backward.func, cst.Attribute)
    node = backward.func.value
    if last_name(node) != "" or not isinstance(node, cst.Call):
        # accelerator.backward(loss)
        return (
            backward.args[0].value if backward.args and last_name(node) in ("accelerator", "fabric") else node
        )
    return node.args[0].value if last_name(node.func) == "scale" and len(node.args) == 1 else node


def _operand(source: Source, node: cst.BaseExpression) -> str:
    loose = isinstance(node, cst.BinaryOperation | cst.UnaryOperation | cst.IfExp) and not node.lpar
    return f"({source.code(node)})" if loose else source.code(node)


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
