"""Another precision."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.optimizer import is_lightning, trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_of,
    expression,
    last_name,
    text_of,
    with_argument,
    without_arguments,
)
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_KINDS = ("float32", "bfloat16")
_HALF = ("float16", "half")
_OF_LIGHTNING = {"float32": '"32-true"', "bfloat16": '"bf16-mixed"'}
_OF_KERAS = {"float32": "float32", "bfloat16": "mixed_bfloat16"}


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write another kind of numbers wherever the source asks for half precision."""
    kind = change.words[0] if change.words else ""
    if kind not in _KINDS:
        raise RefusedError(f'"{change}": the kinds are {", ".join(_KINDS)}')
    parts = _of_framework(source, kind) or _of_torch(source, kind)
    if not parts:
        raise RefusedError(f"{source.shown} does not ask for half precision in so many words")
    first = next(iter(parts))
    return Edited(parts, f"{kind} in the place of half precision from {source.place(first)} on")


def _of_framework(source: Source, kind: str) -> dict[cst.CSTNode, New]:
    arguments = trainer_call(source)
    if arguments is not None:
        given = argument(arguments, ("fp16",))
        if given is None or source.code(given.value) != "True":
            return {}
        plain = without_arguments(arguments, ("fp16", "bf16"))
        return {arguments: with_argument(plain, "bf16", "True") if kind == "bfloat16" else plain}
    trainers = calls_of(source, {"Trainer"}) if is_lightning(source) else []
    given = argument(trainers[0], ("precision",)) if len(trainers) == 1 else None
    if given is not None and "16" in source.code(given.value):
        return {given: given.with_changes(value=expression(_OF_LIGHTNING[kind]))}
    for call in calls_of(source, {"set_global_policy", "set_dtype_policy"}):
        if call.args and text_of(call.args[0].value) == "mixed_float16":
            return {call.args[0]: call.args[0].with_changes(value=expression(f'"{_OF_KERAS[kind]}"'))}
    return {}


def _of_torch(source: Source, kind: str) -> dict[cst.CSTNode, New]:
    parts: dict[cst.CSTNode, New] = {}
    wide = kind == "float32"
    for node in source.all(cst.Attribute):
        # torch.float16 wherever it stands: in autocast, in .to(), behind a name.
        if source.code(node) in [f"torch.{one}" for one in _HALF]:
            parts[node] = expression(f"torch.{kind}")
    for call in source.all(cst.Call):
        func = call.func
        if isinstance(func, cst.Attribute) and last_name(func) == "half" and not call.args:
            parts[call] = expression(f"{source.code(func.value)}.{'float' if wide else 'bfloat16'}()")
    for call in calls_of(source, {"autocast"}):
        parts |= _of_autocast(source, call, parts, wide=wide)
    if not parts:
        return {}
    for call in calls_of(source, {"GradScaler"}):
        given = argument(call, ("enabled",))
        if given is None:
            parts[call] = with_argument(call, "enabled", "False")
        else:
            parts[given] = given.with_changes(value=expression("False"))
    return parts


def _of_autocast(
    source: Source, call: cst.Call, known: dict[cst.CSTNode, New], *, wide: bool
) -> dict[cst.CSTNode, New]:
    """Mixed precision switched off, or told its kind."""
    inside = [one for one in source.nodes(call) if one in known]
    given = argument(call, ("enabled",))
    if wide:
        for one in inside:
            # The kind is of no matter where it is off.
            del known[one]
        if given is not None:
            return {given: given.with_changes(value=expression("False"))}
        return {call: with_argument(call, "enabled", "False")}
    on_gpu = "cuda" in source.code(call)
    if inside or not on_gpu or argument(call, ("dtype",)) is not None:
        return {}
    return {call: with_argument(call, "dtype", "torch.bfloat16")}


EDIT = Edit(name="precision.use", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
