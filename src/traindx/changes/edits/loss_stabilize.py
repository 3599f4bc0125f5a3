"""Logarithms, roots and exponentials that stay finite."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.loss import code_of_loss
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression, last_name, number_of
from traindx.changes.types import ChangeSpec
from traindx.facts import BACKWARD_PLACE, LOSS_PLACE, SCRIPT
from traindx.run import Run

_BELOW = frozenset("log log2 log10 sqrt rsqrt".split())
_KEPT = {**dict.fromkeys(_BELOW, "clamp_min(1e-7)"), "exp": "clamp_max(80.0)"}
"""What keeps the argument of a function where it is finite."""


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Keep what enters logarithms, roots and exponentials of the loss off their ends."""
    parts: dict[cst.CSTNode, New] = {}
    for block in code_of_loss(source, run):
        for call in source.all(cst.Call, block):
            given = _argument(source, call)
            if given is not None and "clamp" not in source.code(given) and "clip" not in source.code(given):
                parts[given] = expression(f"{source.operand(given)}.{_KEPT[last_name(call.func)]}")
    outer = {node: new for node, new in parts.items() if not any(one in parts for one in source.around(node))}
    if not outer:
        raise RefusedError(
            f"the loss of {source.shown} shows no logarithm, root or exponential to keep finite"
        )
    said = [f"{source.code(one)} -> {source.module.code_for_node(outer[one])}" for one in outer]  # type: ignore[arg-type]  # all are expressions
    return Edited(outer, f"{', '.join(said)} at {source.place(next(iter(outer)))}")


def _argument(source: Source, call: cst.Call) -> cst.BaseExpression | None:
    """What a function or method of torch that can run away is given."""
    func = call.func
    if last_name(func) not in _KEPT or not isinstance(func, cst.Attribute):
        return None
    base = source.code(func.value)
    if base in ("math", "np", "numpy"):
        return None
    given = func.value if base != "torch" else call.args[0].value if call.args else None
    return None if given is None or number_of(given) is not None else given


EDIT = Edit(name="loss.stabilize", edit=edit, where=(LOSS_PLACE, BACKWARD_PLACE, SCRIPT))
