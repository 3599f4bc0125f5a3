"""Train and eval mode as they belong."""

import torch
from torch import nn

from traindx.changes.live.functional import set_dropouts
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
    """Put a model into train mode where gradients are taken, and into eval mode where none are."""
    _Modes(program, change)


class _Modes:
    """The mode of the model that was called last: the functions it calls go by it too."""

    def __init__(self, program: Program, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self._learns = True
        program.on_input(self._restore)
        set_dropouts(program, self._rest)

    def _restore(self, model: nn.Module, _: tuple[object, ...]) -> None:
        # Not asked inside of the model: what is checkpointed there runs without gradients in training too.
        self._learns = torch.is_grad_enabled()
        if model.training != self._learns:
            mode = "train" if self._learns else "eval"
            self._program.applied(self._change, f"the model is put into {mode} mode where it was not")
            model.train(self._learns)

    def _rest(self, share: float, drops: bool) -> tuple[float, bool]:
        # functional.dropout(x, p) knows nothing of modes, nor does a module that is made in each forward.
        if drops and not self._learns:
            self._program.applied(
                self._change, f"a dropout of {share:g} rests in eval mode, where it did not"
            )
            drops = False
        return share, drops


OPERATION = Operation(
    name="model.restore_mode",
    forms=("model.restore_mode",),
    says="train mode while gradients are taken, eval mode under no_grad, where all dropout rests",
    begin=begin,
)
