"""How far two curves agree to the last bit: one training that was run, or stopped, twice."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traindx.run import Axis, Series


@dataclass(frozen=True)
class Alike:
    """The bit-identical begin of two curves."""

    until: float
    next_step: float
    points: int
    """How many positions both curves have."""
    everywhere: bool


def alike(one: Series, other: Series) -> Alike | None:
    """How far two series agree to the last bit; None if not even their first two common points do."""
    steps, left, right = np.intersect1d(one.steps, other.steps, assume_unique=True, return_indices=True)
    equal = (one.values[left] == other.values[right]) | (
        np.isnan(one.values[left]) & np.isnan(other.values[right])
    )
    differ = np.flatnonzero(~equal)
    until = int(differ[0]) if len(differ) else len(steps)
    if until < 2:
        return None
    following = float(steps[min(until, len(steps) - 1)])
    return Alike(float(steps[until - 1]), following, len(steps), not len(differ))


def one_training(series: Sequence[Series | None]) -> bool:
    """Whether all curves are the same training as far as they go: each agrees with the longest throughout."""
    found = [one for one in series if one is not None]
    if len(found) < len(series):
        return False
    longest = max(found, key=len)
    return all(one is longest or is_same(one, longest) for one in found)


def is_same(one: Series, other: Series) -> bool:
    """Whether two curves agree wherever both have a value, and both count the same."""
    if one.axis is not other.axis or one.axis is Axis.RECORD:
        return False
    shared = alike(one, other)
    # A few shared points among many, as those of logs with other intervals, show no common training.
    return shared is not None and shared.everywhere and shared.points >= min(len(one), len(other))
