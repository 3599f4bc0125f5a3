"""A rate that rises over many decades, to see where the loss falls and where it runs away."""

from __future__ import annotations

import math

from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, StepRate
from traindx.changes.types import NOT_IN_SOURCE, Change, ChangeSpec
from traindx.errors import TraindxError

_NO_RATE = "the program's learning rate is 0"
_FORM = "schedule.range 1e-7 10 75"
_REACH = 100.0
"""A range goes so many times below and above the program's own rate, wherever that is."""


def _live(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Raise the learning rate from one number to another, by the same factor each step; a schedule scales it.

    Several optimizers keep the ratio of their learning rates.
    """
    low, high, steps = _numbers(change)
    own: list[float] = []

    def factor(rate: StepRate) -> float:
        if not own:
            own.append(rate.first)
        if not own[0]:
            program.refuse(change, _NO_RATE)
            return 1.0
        program.applied(change, f"the learning rate {own[0]:.9g} is replaced by a range of learning rates")
        return rising(own[0], low, high, steps, rate.taken) / own[0]

    program.multiply_rates(factor)


def _numbers(change: ChangeSpec) -> tuple[float, float, float]:
    try:
        low, high, steps = map(float, change.words)
    except ValueError:
        low = high = steps = math.nan
    if not (0 < low < high < math.inf and 1 < steps < math.inf):
        raise TraindxError(
            f'"{change}": expected the lowest and highest learning rate and the steps, for example: {_FORM}'
        )
    return low, high, steps


def rising(own: float, low: float, high: float, steps: float, taken: int) -> float:
    """The learning rate of a step of a range test; the range includes the program's own."""
    low, high = min(low, own / _REACH), max(high, own * _REACH)
    return float(low * (high / low) ** (min(taken, steps - 1) / max(1, steps - 1)))


def _label(change: ChangeSpec) -> str:
    lowest, highest, _ = change.words
    return f"lr range {lowest} to {highest}"


CHANGE = Change(
    name="schedule.range",
    label=_label,
    forms=(_FORM,),
    says="raise the learning rate from LOW to HIGH over N steps (used by traindx lr-find)",
    torch=_live,
    keras=_live,
    edit=NOT_IN_SOURCE,
    is_fix=False,
)
