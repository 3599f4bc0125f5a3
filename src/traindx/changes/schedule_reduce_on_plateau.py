"""A rate that is lowered when the loss stands still."""

from torch import Tensor
from torch.optim import Optimizer

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Program
from traindx.surgery.rates import multiply_rates

_WINDOWS = 25
"""Parts of the run over which the loss is averaged."""
_WAITS = 2
"""Parts without a better loss after which the rate is lowered."""
_BETTER = 0.99
_STEPS = 1000


def begin(program: Program, change: Change) -> None:
    """Divide the rate by a number whenever the mean loss has not fallen for a while."""
    by = change.number
    width = max(5, (program.steps or _STEPS) // _WINDOWS)
    state = {"factor": 1.0, "best": float("inf"), "sum": 0.0, "count": 0.0, "bad": 0.0}

    def saw(loss: Tensor) -> None:
        state["sum"] += float(loss.detach())
        state["count"] += 1
        if state["count"] < width:
            return
        mean = state["sum"] / state["count"]
        state["sum"] = state["count"] = 0.0
        if mean < _BETTER * state["best"]:
            state["best"], state["bad"] = mean, 0.0
            return
        state["bad"] += 1
        if state["bad"] >= _WAITS:
            state["factor"] /= by
            state["bad"] = 0.0
            program.applied(
                change, f"the loss stands still at step {program.taken}: the rate is divided by {by:g}"
            )

    def factor(_: Optimizer, __: int) -> float:
        return state["factor"]

    def watched(original: "object") -> "object":
        def backward(loss: Tensor, *args: object, **kwargs: object) -> object:
            if loss.numel() == 1:
                saw(loss)
            return original(loss, *args, **kwargs)  # type: ignore[operator]

        return backward

    program.patches.replace(Tensor, "backward", watched)
    multiply_rates(program, factor)


OPERATION = Operation(
    name="schedule.reduce_on_plateau",
    forms=("schedule.reduce_on_plateau 10",),
    says="divide the rate by a number whenever the loss has stood still for two 25ths of the run",
    begin=begin,
)
