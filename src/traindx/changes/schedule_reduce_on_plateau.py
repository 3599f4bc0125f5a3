"""A rate that is lowered when the loss stands still."""

import math
from collections.abc import Callable
from functools import wraps

from torch import Tensor
from torch.optim import Optimizer

from traindx.changes.live.operation import Operation
from traindx.changes.live.optimizers import multiply_rates, without_schedule
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.changes.live.keras_program import KerasProgram

_WINDOWS = 25
"""Parts of the run over which the loss is averaged."""
_WAITS = 2
"""Parts without a better loss after which the rate is lowered."""
_BETTER = 0.01
"""Of the best so far, by which a loss has to be lower to be better."""
_STEPS = 1000
GIVES_WAY = "the schedule of the program gives way to one that follows the loss"


class Plateau:
    """What is left of the rate, by the losses that backward passes begin at."""

    def __init__(self, program: "Program | KerasProgram", change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self._width = max(5, (program.steps or _STEPS) // _WINDOWS)
        self.factor = 1.0
        self._best, self._part, self._waited = float("inf"), list[float](), 0
        program.patches.replace(Tensor, "backward", self._watched)

    def _watched(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def backward(loss: Tensor, *args: object, **kwargs: object) -> object:
            if loss.numel() == 1:
                self._saw(float(loss.detach()))
            return original(loss, *args, **kwargs)

        return backward

    def _saw(self, loss: float) -> None:
        self._part.append(loss)
        if len(self._part) < self._width:
            return
        mean = sum(self._part) / len(self._part)
        self._part.clear()
        if math.isinf(self._best) or mean < self._best - _BETTER * abs(self._best):
            self._best, self._waited = mean, 0
            return
        self._waited += 1
        if self._waited >= _WAITS:
            self._waited = 0
            self.factor /= self._change.number
            place = f"the loss stands still at step {self._program.taken}"
            self._program.applied(self._change, f"{place}: the rate is divided by {self._change.number:g}")


def begin(program: Program, change: ChangeSpec) -> None:
    """Divide the rate whenever the mean loss has not fallen for a while, in the place of any schedule."""
    plateau = Plateau(program, change)

    def factor(optimizer: Optimizer, _: int) -> float:
        times = without_schedule(optimizer)
        if times != 1.0:
            program.applied(change, GIVES_WAY)
        return plateau.factor * times

    multiply_rates(program, factor)


OPERATION = Operation(
    name="schedule.reduce_on_plateau",
    forms=("schedule.reduce_on_plateau 10",),
    says="divide the rate by a number whenever the loss stands still for two 25ths of the run",
    begin=begin,
)
