"""Another precision."""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor, nn

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Loss, Program
from traindx.changes.types import ChangeSpec
from traindx.errors import TraindxError

_KINDS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
_HALF = (torch.float16, torch.bfloat16)
_OF_NUMBERS = (
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits"
).split()


def begin(program: Program, change: ChangeSpec) -> None:
    """Switch mixed precision off, or to another kind; models stay in single precision."""
    if len(change.words) != 1 or change.words[0] not in _KINDS:
        raise TraindxError(
            f'"{change}": the kinds are {", ".join(_KINDS)}; for example: precision.use float32'
        )
    kind = _KINDS[change.words[0]]
    wide = kind is torch.float32

    def cast(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def init(self: object, device_type: str, *args: object, **kwargs: object) -> None:
            program.applied(change, f"mixed precision {'is off' if wide else f'runs in {change.words[0]}'}")
            # The dtype is the second, "enabled" the third of its arguments.
            others = args[2:]
            kwargs.pop("dtype", None)
            enabled = bool(args[1] if len(args) > 1 else kwargs.pop("enabled", True)) and not wide
            original(self, device_type, None if wide else kind, enabled, *others, **kwargs)

        return init

    def unscaled(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def init(self: object, *args: object, **kwargs: object) -> None:
            original(self, *args, **{**kwargs, "enabled": False})

        return init

    def kept(original: "Callable[..., nn.Module]") -> "Callable[..., nn.Module]":
        @wraps(original)
        def half(module: nn.Module) -> nn.Module:
            program.applied(change, f"the model stays in {change.words[0]}")
            return module._apply(lambda one: one.to(kind) if one.is_floating_point() else one)

        return half

    def moved(original: "Callable[..., nn.Module]") -> "Callable[..., nn.Module]":
        @wraps(original)
        def to(module: nn.Module, *args: object, **kwargs: object) -> nn.Module:
            asked = [*args, *kwargs.values()]
            if any(one in _HALF for one in asked if isinstance(one, torch.dtype)):
                program.applied(change, f"the model stays in {change.words[0]}")
            args = tuple(kind if isinstance(one, torch.dtype) and one in _HALF else one for one in args)
            if kwargs.get("dtype") in _HALF:
                kwargs["dtype"] = kind
            return original(module, *args, **kwargs)

        return to

    program.replace_losses(_OF_NUMBERS, _as_the_prediction, while_validating=True)
    program.on_input(_as_the_model)
    program.patches.replace(torch.amp.autocast_mode.autocast, "__init__", cast)
    program.patches.replace(torch.amp.GradScaler, "__init__", unscaled)
    program.patches.replace(nn.Module, "half", kept)
    program.patches.replace(nn.Module, "bfloat16", kept)
    program.patches.replace(nn.Module, "to", moved)


def _as_the_prediction(original: Loss) -> Loss:
    """Targets that the program made in half precision for a prediction that is no longer."""

    def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
        halved = target.dtype in _HALF and given.dtype != target.dtype
        return original(given, target.to(given.dtype) if halved else target, **settings)

    return loss


def _as_the_model(model: nn.Module, args: tuple[object, ...]) -> tuple[object, ...]:
    """Inputs that the program made in half precision for a model that is no longer."""
    own = next((one.dtype for one in model.parameters() if one.is_floating_point()), torch.float32)
    return tuple(one.to(own) if isinstance(one, Tensor) and one.dtype in _HALF else one for one in args)


OPERATION = Operation(
    name="precision.use",
    forms=("precision.use float32", "precision.use bfloat16"),
    says="compute in single precision, or in bfloat16 in place of float16",
    begin=begin,
)
