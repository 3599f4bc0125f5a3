"""Activations where layers follow each other without one."""

from collections.abc import Callable
from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional

from traindx.change import Change
from traindx.errors import TraindxError
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program

_KINDS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "tanh": functional.tanh,
}
_LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)
_PASSED = (nn.Dropout, nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm, nn.Identity, nn.Flatten)


def begin(program: Program, change: Change) -> None:
    """Put an activation behind each layer that another one follows directly."""
    if len(change.words) != 1 or change.words[0] not in _KINDS:
        raise TraindxError(
            f'"{change}": the kinds are {", ".join(_KINDS)}; for example: activation.insert relu'
        )
    act = _KINDS[change.words[0]]

    def bent(_: nn.Module, __: object, output: object) -> object:
        return act(output) if isinstance(output, Tensor) else None

    def insert(model: nn.Module) -> None:
        leaves = [one for one in model.modules() if not any(True for _ in one.children())]
        kept = [one for one in leaves if not isinstance(one, _PASSED)]
        for first, second in pairwise(kept):
            if isinstance(first, _LAYERS) and isinstance(second, _LAYERS):
                program.applied(
                    change, f"{change.words[0]} stands between layers that followed each other directly"
                )
                first.register_forward_hook(bent)

    program.on_model(insert)


OPERATION = Operation(
    name="activation.insert",
    forms=("activation.insert relu",),
    says="put an activation between layers that follow each other directly",
    begin=begin,
)
