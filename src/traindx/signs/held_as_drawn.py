"""Layers that are held at what they were drawn with."""

import math
from collections.abc import Callable
from typing import Annotated

from traindx.curves.gains import Gain, starting_gains
from traindx.curves.inside import inputs_of, size_of, units_of
from traindx.curves.stated import fact_evidence
from traindx.facts import FROZEN_PARAMETERS, MODEL_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import count, listed
from traindx.quantities import WEIGHT_NORM
from traindx.run import Run


@sign(needs=(WEIGHT_NORM, FROZEN_PARAMETERS), severity=Severity.WARNING)
def held_as_drawn(
    run: Run,
    *,
    near: Annotated[float, "of the gain of a draw; bench/thresholds.md#drawn"] = 0.02,
    fewest: Annotated[int, "values of a matrix; bench/thresholds.md#drawn"] = 200,
) -> Answer:
    """Frozen layers have weights of the size that an initialisation draws: they never learned anything."""
    gains = [one for one in starting_gains(run) if size_of(one.matrix.layer) >= fewest]
    if not gains:
        return CANNOT_TELL
    frozen = [one for one in gains if not one.matrix.layer.trainable]
    # One matrix may have the size of some draw by chance.
    draws = _DRAWS if len(frozen) > 1 else _DRAWS[:1]
    if not frozen or not any(all(_is_near(one, drawn, near) for one in frozen) for drawn in draws):
        return None
    names = listed([one.matrix.layer.name for one in frozen], 2)
    says = f"{count(len(frozen), 'matrix', 'matrices')} ({names}) frozen at the size that an"
    says += " initialisation draws"
    strength = 1.0 if len(frozen) > 1 else 0.6
    return Finding(strength, says, (fact_evidence(run, FROZEN_PARAMETERS, MODEL_PLACE),))


def _of_torch(one: Gain) -> float:
    """`nn.Linear` and `nn.Conv` draw evenly within 1 / sqrt(inputs)."""
    return 1 / math.sqrt(3)


def _of_he(one: Gain) -> float:
    return math.sqrt(2)


def _of_glorot(one: Gain) -> float:
    inputs, units = inputs_of(one.matrix.layer), units_of(one.matrix.layer)
    return math.sqrt(2 * inputs / (inputs + units))


_DRAWS = (_of_torch, _of_he, _of_glorot)


def _is_near(one: Gain, drawn: Callable[[Gain], float], near: float) -> bool:
    # The size of what was drawn scatters by less than 1 / sqrt(values).
    return abs(one.gain / drawn(one) - 1) < near + 1 / math.sqrt(size_of(one.matrix.layer))
