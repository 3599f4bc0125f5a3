"""The type of one recorded curve."""

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from traindx.quantity import Quantity

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


class Axis(Enum):
    """What the positions of a series count."""

    STEP = "step"
    """Optimizer steps, iterations, updates."""
    EPOCH = "epoch"
    """Passes over the data; may be fractional."""
    SAMPLE = "sample"
    """Samples, tokens, frames or environment steps seen so far."""
    RECORD = "record"
    """The number of the record: the log itself says nothing of its position."""


@dataclass(frozen=True, eq=False)
class Series:
    """Steps and values of one quantity: never smoothed, sampled or cleaned."""

    quantity: Quantity
    steps: Floats
    """Strictly increasing; a float because some logs count fractions of an epoch."""
    values: Floats
    """May hold NaN and infinities: they are data."""
    axis: Axis = Axis.STEP
    part: str = ""
    """Which of several: an evaluation set, a term of the loss, a parameter group; empty for the whole."""
    layer: str = ""
    name: str = ""
    """What the log calls it."""

    def __post_init__(self) -> None:
        """Refuse steps that are not one per value and increasing; freeze the arrays."""
        if self.steps.shape != self.values.shape or self.steps.ndim != 1:
            raise ValueError(f"{self.name}: {self.steps.shape} steps for {self.values.shape} values")
        if len(self.steps) > 1 and not bool(np.all(self.steps[1:] > self.steps[:-1])):
            raise ValueError(f"{self.name}: steps must increase")
        self.steps.flags.writeable = False
        self.values.flags.writeable = False

    def __len__(self) -> int:
        """Count the points."""
        return len(self.steps)

    @property
    def finite(self) -> "Series":
        """The same series without its non-finite points."""
        mask = np.isfinite(self.values)
        return self if bool(mask.all()) else replace(self, steps=self.steps[mask], values=self.values[mask])

    @property
    def first_bad_step(self) -> float | None:
        """The first step whose value is NaN or infinite."""
        bad = np.flatnonzero(~np.isfinite(self.values))
        return float(self.steps[bad[0]]) if len(bad) else None
