"""Logarithms, roots, exponentials and quotients that stay finite."""

from __future__ import annotations

from collections.abc import Callable

from traindx.changes import cst, torch
from traindx.changes.live.program import Program
from traindx.changes.source.loss import code_of_loss
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression, last_name, names_in, number_of
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError, as_in_torch
from traindx.facts import BACKWARD_PLACE, LOSS_PLACE, SCRIPT
from traindx.run import Run

_LEAST = 1e-7
_LARGEST = 80.0
"""Beyond it the exponential of single precision is infinite."""
_BELOW = frozenset("log log2 log10 sqrt rsqrt".split())
_KEPT = {**dict.fromkeys(_BELOW, "clamp_min(1e-7)"), "exp": "clamp_max(80.0)"}
"""What keeps the argument of a function where it is finite."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Keep what enters logarithms and roots above zero, exponentials below their end, divisors off zero."""

    def guarded(
        keep: Callable[[torch.Tensor], torch.Tensor], place: int, says: str
    ) -> Callable[..., torch.Tensor]:
        def function(original: Callable[..., torch.Tensor], *args: object, **kwargs: object) -> torch.Tensor:
            value = args[place] if len(args) > place else None
            if isinstance(value, torch.Tensor) and value.requires_grad and value.is_floating_point():
                kept = keep(value)
                if bool((kept.detach() != value.detach()).any()):
                    program.applied(change, says)
                    args = (*args[:place], kept, *args[place + 1 :])
            return original(*args, **kwargs)

        return function

    above = guarded(lambda one: one.clamp_min(_LEAST), 0, "inputs of log and sqrt clamped above 0")
    below = guarded(lambda one: one.clamp_max(_LARGEST), 0, f"inputs of exp clamped at {_LARGEST:g}")
    apart = guarded(_apart_from_zero, 1, f"divisors clamped at {_LEAST:g} from 0")
    for name in _BELOW:
        program.wrap_function(name, above)
    program.wrap_function("exp", below)
    for name in ("div", "true_divide", "__truediv__"):
        program.wrap_function(name, apart)


def _apart_from_zero(value: torch.Tensor) -> torch.Tensor:
    least = torch.where(value.detach() < 0, -_LEAST, _LEAST).to(value.dtype)
    return torch.where(value.detach().abs() < _LEAST, least, value)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Keep what enters logarithms, roots and exponentials of the loss off their ends."""
    parts: dict[cst.CSTNode, New] = {}
    for block in code_of_loss(source, run):
        for call in source.all(cst.Call, block):
            given = _argument(source, call)
            if given is not None and not any(
                "clamp" in name or "clip" in name for name in names_in(source, given)
            ):
                parts[given] = expression(f"{source.operand(given)}.{_KEPT[last_name(call.func)]}")
    outer = {node: new for node, new in parts.items() if not any(one in parts for one in source.around(node))}
    if not outer:
        raise RefusedError(f"no unclamped log, sqrt or exp in the loss of {source.shown}")
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


CHANGE = Change(
    name="loss.stabilize",
    label="clamp log, sqrt and exp",
    says="clamp the inputs of log, sqrt, exp and division so that they stay finite",
    torch=_torch,
    keras=as_in_torch,
    edit=_edit,
    edited_file=(LOSS_PLACE, BACKWARD_PLACE, SCRIPT),
)
