"""A rate that rises over many decades, to see where the loss falls and where it runs away."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from traindx.changes.types import NOT_IN_SOURCE, Change, ChangeSpec
from traindx.errors import TraindxError

if TYPE_CHECKING:
    from traindx.changes.live.keras_program import KerasProgram
    from traindx.changes.live.program import Program

_NO_RATE = "the program's learning rate is 0, and no multiple of it is another one"
_FORM = "schedule.range 1e-7 10 75"
_Optimizer = TypeVar("_Optimizer")
_Tell = Callable[[ChangeSpec, str], None]
_REACH = 100.0
"""A range goes so many times below and above the program's own rate, wherever that is."""


def _rising_rates(
    change: ChangeSpec, first: Callable[[_Optimizer], float], applied: _Tell, refuse: _Tell
) -> Callable[[_Optimizer, int], float]:
    """What the rates of every step are multiplied by; several optimizers keep the ratio of their rates."""
    low, high, steps = _numbers(change)
    own: list[float] = []

    def factor(optimizer: _Optimizer, taken: int) -> float:
        if not own:
            own.append(first(optimizer))
        if not own[0]:
            refuse(change, _NO_RATE)
            return 1.0
        applied(change, f"the learning rate {own[0]:.9g} is replaced by a range of rates")
        return rising(own[0], low, high, steps, taken) / own[0]

    return factor


def _torch(program: Program, change: ChangeSpec) -> None:
    """Let the rate rise from one number to another, by the same factor each step; a schedule scales it."""
    from traindx.changes.live.optimizers import first_rate, multiply_rates

    multiply_rates(program, _rising_rates(change, first_rate, program.applied, program.refuse))


def _numbers(change: ChangeSpec) -> tuple[float, float, float]:
    try:
        low, high, steps = map(float, change.words)
    except ValueError:
        low = high = steps = math.nan
    if not (0 < low < high < math.inf and 1 < steps < math.inf):
        raise TraindxError(
            f'"{change}": needs the lowest rate, the highest one and a number of steps; for example: {_FORM}'
        )
    return low, high, steps


def rising(own: float, low: float, high: float, steps: float, taken: int) -> float:
    """The rate of a step of a range test that has `steps`; wide enough to hold the program's own rate."""
    low, high = min(low, own / _REACH), max(high, own * _REACH)
    return float(low * (high / low) ** (min(taken, steps - 1) / max(1, steps - 1)))


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Let the rate rise from one number to another, by the same factor each step; a schedule scales it."""
    stepping = program.stepping
    stepping.multiply_rates(_rising_rates(change, stepping.first_rate, program.applied, program.refuse))


CHANGE = Change(
    name="schedule.range",
    forms=(_FORM,),
    says="let the rate rise from one number to another over so many steps, as traindx lr-find does",
    torch=_torch,
    keras=_keras,
    edit=NOT_IN_SOURCE,
    touches="schedule",
    is_fix=False,
)
