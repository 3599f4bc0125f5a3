"""Another precision."""

from __future__ import annotations

from collections.abc import Callable

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Loss, Program
from traindx.changes.source.optimizer import is_lightning, trainer_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_of,
    expression,
    last_name,
    names_in,
    number_of,
    text_of,
    texts_in,
    with_argument,
    with_value,
    without_arguments,
)
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.recorder.hooks.monkeypatch import Function
from traindx.run import Run

_OF_NUMBERS = (
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits"
).split()
_OTHERS = {
    "float32": dict.fromkeys(("mixed_float16", "mixed_bfloat16", "float16", "bfloat16"), "float32"),
    "bfloat16": {"mixed_float16": "mixed_bfloat16", "float16": "bfloat16"},
}
"""What becomes of the policies by which layers know what to compute in."""
_KINDS = ("float32", "bfloat16")
_HALF = ("float16", "half")
_OF_LIGHTNING = {"float32": '"32-true"', "bfloat16": '"bf16-mixed"'}
_OF_KERAS = {"float32": "float32", "bfloat16": "mixed_bfloat16"}
_BITS = 16


def _half() -> tuple[torch.dtype, ...]:
    return (torch.float16, torch.bfloat16)


def _torch(program: Program, change: ChangeSpec) -> None:
    """Switch mixed precision off, or to another kind; models stay in single precision."""
    name = change.among(_KINDS)
    kind: torch.dtype = getattr(torch, name)
    wide = kind is torch.float32

    def autocast(original: Function, self: object, device_type: str, *args: object, **kwargs: object) -> None:
        program.applied(change, f"mixed precision {'is off' if wide else f'runs in {name}'}")
        # The dtype is the second, "enabled" the third of its arguments.
        others = args[2:]
        kwargs.pop("dtype", None)
        enabled = bool(args[1] if len(args) > 1 else kwargs.pop("enabled", True)) and not wide
        original(self, device_type, None if wide else kind, enabled, *others, **kwargs)

    def scaler(original: Function, *args: object, **kwargs: object) -> None:
        original(*args, **{**kwargs, "enabled": False})

    def half(_: object, module: nn.Module) -> nn.Module:
        program.applied(change, f"the model stays in {name}")
        return module._apply(lambda value: value.to(kind) if value.is_floating_point() else value)

    def to(
        original: Callable[..., nn.Module], module: nn.Module, *args: object, **kwargs: object
    ) -> nn.Module:
        asked = [*args, *kwargs.values()]
        if any(option in _half() for option in asked if isinstance(option, torch.dtype)):
            program.applied(change, f"the model stays in {name}")
        args = tuple(kind if isinstance(arg, torch.dtype) and arg in _half() else arg for arg in args)
        if kwargs.get("dtype") in _half():
            kwargs["dtype"] = kind
        return original(module, *args, **kwargs)

    program.replace_losses(_OF_NUMBERS, _as_the_prediction, while_validating=True)
    program.on_input(_as_the_model)
    program.patches.wrap(torch.amp.autocast_mode.autocast, "__init__", autocast)
    program.patches.wrap(torch.amp.GradScaler, "__init__", scaler)
    program.patches.wrap(nn.Module, "half", half)
    program.patches.wrap(nn.Module, "bfloat16", half)
    program.patches.wrap(nn.Module, "to", to)


def _as_the_prediction(
    original: Loss, prediction: torch.Tensor, target: torch.Tensor, **settings: object
) -> torch.Tensor:
    """Targets that the program made in half precision for a prediction that is no longer."""
    halved = target.dtype in _half() and prediction.dtype != target.dtype
    return original(prediction, target.to(prediction.dtype) if halved else target, **settings)


def _as_the_model(model: nn.Module, args: tuple[object, ...]) -> tuple[object, ...]:
    """Inputs that the program made in half precision for a model that is no longer."""
    own = next(
        (parameter.dtype for parameter in model.parameters() if parameter.is_floating_point()), torch.float32
    )
    return tuple(
        arg.to(own) if isinstance(arg, torch.Tensor) and arg.dtype in _half() else arg for arg in args
    )


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Make other policies than the program asks for."""
    others = _OTHERS[change.among(_KINDS)]
    exchanged = False

    def init(original: Function, policy: keras.DTypePolicy, name: str | None = None) -> None:
        nonlocal exchanged
        if name in others:
            exchanged = True
            program.applied(change, f"the precision {name} becomes {others[name]}")
            name = others[name]
        original(policy, name)

    def refuse(_: keras.Layer) -> None:
        if not exchanged:
            program.refuse(change, f"the program uses none of {', '.join(others)}")

    program.patches.wrap(keras.DTypePolicy, "__init__", init)
    program.on_model(refuse)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write another kind of numbers wherever the source asks for half precision."""
    kind = change.among(_KINDS)
    parts = _of_framework(source, kind) or _of_torch(source, kind)
    if not parts:
        raise RefusedError(f"no half-precision setting found in {source.shown}")
    first = next(iter(parts))
    return Edited(parts, f"{kind} instead of half precision, from {source.place(first)}")


def _of_framework(source: Source, kind: str) -> dict[cst.CSTNode, New]:
    arguments = trainer_call(source)
    if arguments is not None:
        arg = argument(arguments, ("fp16",))
        if arg is None or source.code(arg.value) != "True":
            return {}
        plain = without_arguments(arguments, ("fp16", "bf16"))
        return {arguments: with_argument(plain, "bf16", "True") if kind == "bfloat16" else plain}
    trainers = calls_of(source, {"Trainer"}) if is_lightning(source) else []
    arg = argument(trainers[0], ("precision",)) if len(trainers) == 1 else None
    if arg is not None and _is_half(arg.value):
        return {arg: with_value(arg, _OF_LIGHTNING[kind])}
    for call in calls_of(source, {"set_global_policy", "set_dtype_policy"}):
        if call.args and text_of(call.args[0].value) == "mixed_float16":
            return {call.args[0]: with_value(call.args[0], f'"{_OF_KERAS[kind]}"')}
    return {}


def _is_half(precision: cst.BaseExpression) -> bool:
    """Whether Lightning is told half precision: 16, "16-mixed", "bf16-true"."""
    return number_of(precision) == _BITS or str(_BITS) in (text_of(precision) or "")


def _of_torch(source: Source, kind: str) -> dict[cst.CSTNode, New]:
    parts: dict[cst.CSTNode, New] = {}
    wide = kind == "float32"
    for node in source.all(cst.Attribute):
        # torch.float16 wherever it stands: in autocast, in .to(), behind a name.
        if source.code(node) in [f"torch.{name}" for name in _HALF]:
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
        arg = argument(call, ("enabled",))
        if arg is None:
            parts[call] = with_argument(call, "enabled", "False")
        else:
            parts[arg] = with_value(arg, "False")
    return parts


def _of_autocast(
    source: Source, call: cst.Call, known: dict[cst.CSTNode, New], *, wide: bool
) -> dict[cst.CSTNode, New]:
    """Mixed precision switched off, or told its kind."""
    inside = [node for node in source.nodes(call) if node in known]
    arg = argument(call, ("enabled",))
    if wide:
        for node in inside:
            # The kind is of no matter where it is off.
            del known[node]
        if arg is not None:
            return {arg: with_value(arg, "False")}
        return {call: with_argument(call, "enabled", "False")}
    on_gpu = any("cuda" in name for name in (*names_in(source, call), *texts_in(source, call)))
    if inside or not on_gpu or argument(call, ("dtype",)) is not None:
        return {}
    return {call: with_argument(call, "dtype", "torch.bfloat16")}


CHANGE = Change(
    name="precision.use",
    label="train in {}",
    forms=("precision.use float32", "precision.use bfloat16"),
    says="train in float32, or in bfloat16 instead of float16",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
