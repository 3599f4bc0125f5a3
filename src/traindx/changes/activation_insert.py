"""Activations where layers follow each other without one."""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional
from torch.utils.weak import WeakIdKeyDictionary

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec
from traindx.errors import TraindxError

_KINDS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "tanh": functional.tanh,
}
_LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)
_PASSED = (nn.Dropout, nn.Dropout2d, nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm, nn.Identity, nn.Flatten)


def begin(program: Program, change: ChangeSpec) -> None:
    """Put an activation before each layer that is given what came straight out of another one."""
    if len(change.words) != 1 or change.words[0] not in _KINDS:
        raise TraindxError(
            f'"{change}": the kinds are {", ".join(_KINDS)}; for example: activation.insert relu'
        )
    act = _KINDS[change.words[0]]
    straight = WeakIdKeyDictionary()
    """What came out of a layer, and out of nothing that bends since."""

    def entered(module: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        given = args[0] if args else None
        if not isinstance(module, _LAYERS) or not isinstance(given, Tensor) or not _is_known(straight, given):
            return None
        program.applied(change, f"{change.words[0]} stands between layers that followed each other directly")
        return (act(given), *args[1:])

    def passed(module: nn.Module, args: tuple[object, ...], output: object) -> None:
        given = args[0] if args else None
        through = _passes(module) and isinstance(given, Tensor) and _is_known(straight, given)
        if isinstance(output, Tensor) and (through or isinstance(module, _LAYERS)):
            straight[output] = True

    before = nn.modules.module.register_module_forward_pre_hook(entered)
    behind = nn.modules.module.register_module_forward_hook(passed)
    program.patches.on_undo(before.remove)
    program.patches.on_undo(behind.remove)


def _passes(module: nn.Module) -> bool:
    """Whether it bends nothing."""
    return isinstance(module, _PASSED) or (isinstance(module, nn.LeakyReLU) and module.negative_slope == 1)


def _is_known(straight: "WeakIdKeyDictionary", given: Tensor) -> bool:
    # x.flatten(1) and the like bend nothing.
    return given in straight or (given._base is not None and given._base in straight)


OPERATION = Operation(
    name="activation.insert",
    forms=("activation.insert relu",),
    says="put an activation between layers that follow each other directly",
    begin=begin,
)
