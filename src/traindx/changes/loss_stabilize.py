"""Terms of a loss that stay finite."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from traindx.changes import cst, torch
from traindx.changes.live.program import Program
from traindx.changes.source.definitions import Definition
from traindx.changes.source.layers import called
from traindx.changes.source.loss_code import code_of_loss, nodes_of_loss, own_definitions
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    expression,
    first_name,
    imported,
    is_imported,
    last_name,
    names_in,
    number_of,
    path_of,
)
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError, as_in_torch
from traindx.facts import BACKWARD_PLACE, LOSS_PLACE, SCRIPT
from traindx.run import Run

_LEAST = 1e-7
_LARGEST = 80.0
"""Beyond it the exponential of single precision is infinite."""
_BELOW = frozenset("log log2 log10 sqrt rsqrt".split())
_ABOVE = "clamp_min(1e-7)"
_KEPT = {**dict.fromkeys(_BELOW, _ABOVE), "exp": "clamp_max(80.0)"}
"""What keeps the argument of a function where it is finite."""
_AT_LEAST_ZERO = ("norm", "std")
_SMALL = ("eps", "tiny")
"""In the names of numbers that are added to keep a logarithm finite."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Keep what enters logarithms and roots above zero, exponentials below their end, divisors off zero."""

    def guarded(
        keep: Callable[[torch.Tensor], torch.Tensor], index: int, says: str
    ) -> Callable[..., torch.Tensor]:
        def function(original: Callable[..., torch.Tensor], *args: object, **kwargs: object) -> torch.Tensor:
            value = args[index] if len(args) > index else None
            if isinstance(value, torch.Tensor) and value.requires_grad and value.is_floating_point():
                kept = keep(value)
                if bool((kept.detach() != value.detach()).any()):
                    program.applied(change, says)
                    args = (*args[:index], kept, *args[index + 1 :])
            return original(*args, **kwargs)

        return function

    above = guarded(lambda value: value.clamp_min(_LEAST), 0, "inputs of log and sqrt clamped above 0")
    below = guarded(lambda value: value.clamp_max(_LARGEST), 0, f"inputs of exp clamped at {_LARGEST:g}")
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
    """Keep what enters logarithms, roots, exponentials and divisors of the loss off their ends."""
    parts: dict[cst.CSTNode, New] = {}
    blocks = code_of_loss(source, run)
    for node in (part for block in blocks for part in nodes_of_loss(source, run, block)):
        if isinstance(node, cst.Call):
            parts |= _kept_finite(source, node)
        elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide):
            divisor = node.right
            if _may_vanish(source, divisor):
                parts[divisor] = expression(f"{source.operand(divisor)}.{_ABOVE}")
    outer = {
        node: new
        for node, new in parts.items()
        if not any(enclosing in parts for enclosing in source.around(node))
    }
    if not outer:
        raise RefusedError(f"no unclamped log, sqrt or exp found in the loss code of {source.shown}")
    says = [f"{source.code(part)} -> {source.module.code_for_node(outer[part])}" for part in outer]  # type: ignore[arg-type]  # all are expressions
    return Edited(outer, f"{', '.join(says)} at {source.place(next(iter(outer)))}")


def _kept_finite(source: Source, call: cst.Call) -> dict[cst.CSTNode, New]:
    """What a call becomes that can run away; nothing where it cannot."""
    part = _argument(source, call)
    if part is None or _is_guarded(source, part):
        return {}
    fused = _fused(source, call, part)
    if fused is not None:
        return {call: expression(fused)}
    return {part: expression(f"{source.operand(part)}.{_KEPT[last_name(call.func)]}")}


def _argument(source: Source, call: cst.Call) -> cst.BaseExpression | None:
    """What a function or method of torch that can run away is given."""
    func = call.func
    if last_name(func) not in _KEPT:
        return None
    if _is_of_torch(source, func):
        operand = call.args[0].value if call.args else None
    elif isinstance(func, cst.Attribute) and not call.args and not is_imported(source, first_name(func)):
        operand = func.value
    else:
        # A function of another library, or self.log("loss", loss) of Lightning.
        operand = None
    return None if operand is None or number_of(operand) is not None else operand


def _is_of_torch(source: Source, func: cst.BaseExpression) -> bool:
    return bool(first_name(func)) and path_of(source, func).startswith("torch.")


def _is_guarded(source: Source, given: cst.BaseExpression) -> bool:
    """Whether a value is clamped already, or a small number is added to it."""
    inside = [given, *(each.value for name in source.all(cst.Name, given) for each in _own(source, name))]
    if any("clamp" in name or "clip" in name for part in inside if part for name in names_in(source, part)):
        return True
    if not (isinstance(given, cst.BinaryOperation) and isinstance(given.operator, cst.Add)):
        return False
    return any(
        number_of(term) is not None or any(word in last_name(term).lower() for word in _SMALL)
        for term in (given.left, given.right)
    )


def _own(source: Source, name: cst.Name) -> list[Definition]:
    around = source.parent(name)
    is_attribute = isinstance(around, cst.Attribute) and around.attr is name
    return [] if is_attribute else own_definitions(source, name)


def _fused(source: Source, call: cst.Call, given: cst.BaseExpression) -> str | None:
    """The log of a sigmoid or softmax as one function; None where the argument is not exactly one."""
    if last_name(call.func) != "log":
        return None
    is_opposite = isinstance(given, cst.BinaryOperation) and isinstance(given.operator, cst.Subtract)
    if isinstance(given, cst.BinaryOperation):
        if not is_opposite or number_of(given.left) != 1:
            return None
        given = given.right
    applied = given
    if isinstance(given, cst.Name):
        known = own_definitions(source, given)
        applied = known[0].value if len(known) == 1 and known[0].value is not None else given
    activation = called(source, applied)
    if activation is None or not isinstance(applied, cst.Call):
        return None
    logits = activation.without
    if not isinstance(logits, cst.BaseExpression) or not _is_same(source, logits, applied, call):
        return None
    kind = last_name(applied.func)
    if kind == "softmax" and not is_opposite:
        settings = [
            argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            for argument in applied.args
            if argument.value is not logits
        ]
        return f"{source.operand(logits)}.log_softmax({', '.join(map(source.code, settings))})"
    if kind != "sigmoid":
        return None
    text = f"-{source.operand(logits)}" if is_opposite else source.code(logits)
    with suppress(RefusedError):
        return f"{imported(source, 'torch.nn.functional.logsigmoid', 'F')}({text})"
    return None


def _is_same(source: Source, logits: cst.BaseExpression, applied: cst.Call, call: cst.Call) -> bool:
    """Whether logits can be spelled again in a call, with the value that they had in an activation."""
    if any(node is call for node in source.around(applied)):
        return True
    if not isinstance(logits, cst.Name):
        return False
    lines = [source.lines(each.holder)[0] for each in own_definitions(source, logits)]
    return all(line <= source.lines(applied)[0] for line in lines)


def _may_vanish(source: Source, divisor: cst.BaseExpression) -> bool:
    """Whether a divisor is a norm or a std, which is never below 0 and can be 0."""
    if isinstance(divisor, cst.Name):
        known = own_definitions(source, divisor)
        divisor = known[0].value if len(known) == 1 and known[0].value is not None else divisor
    if not isinstance(divisor, cst.Call) or last_name(divisor.func) not in _AT_LEAST_ZERO:
        return False
    func = divisor.func
    return isinstance(func, cst.Attribute) and (
        _is_of_torch(source, func) or not is_imported(source, first_name(func))
    )


CHANGE = Change(
    name="loss.stabilize",
    label="clamp log, sqrt and exp",
    says="clamp the inputs of log, sqrt, exp and division so that they stay finite",
    torch=_torch,
    keras=as_in_torch,
    edit=_edit,
    edited_file=(LOSS_PLACE, BACKWARD_PLACE, SCRIPT),
)
