"""How far the inputs of validation are from those of training."""

from dataclasses import dataclass

import numpy as np

from traindx.curves.series import looked
from traindx.quantities import INPUT_MEAN, INPUT_STD
from traindx.run import Run

SHIFT, RATIO = 0.4, 1.5
"""Distance of the means in training stds, and of the stds as a ratio, above which inputs are of another kind;
bench/thresholds.md#mismatch."""


@dataclass(frozen=True)
class InputGap:
    """Mean and std of the inputs on both sides."""

    mean: float
    validation_mean: float
    std: float
    validation_std: float
    noise: float
    """How far the means of training batches differ among themselves, in training stds."""

    @property
    def moved(self) -> float:
        """The distance of the means beyond what batches differ by, in training stds."""
        return abs(self.validation_mean - self.mean) / self.std - 2 * self.noise

    @property
    def wider(self) -> float:
        """The ratio of the stds, at least 1."""
        return max(self.validation_std / self.std, self.std / self.validation_std)


def input_gap(run: Run) -> InputGap | None:
    """What was measured on both sides; None where it was not, or where inputs are constant."""
    both = [
        (looked(run, quantity), looked(run, quantity, "validation")) for quantity in (INPUT_MEAN, INPUT_STD)
    ]
    (mean, other_mean), (std, other_std) = both
    if mean is None or other_mean is None or std is None or other_std is None:
        return None
    spread, other = float(np.median(std.values)), float(np.median(other_std.values))
    if spread <= 0 or other <= 0:
        return None
    means = float(np.median(mean.values)), float(np.median(other_mean.values))
    return InputGap(*means, spread, other, float(np.std(mean.values)) / spread)


def inputs_are_alike(run: Run) -> bool:
    """Whether validation inputs are of the same kind as training inputs, as far as that was measured."""
    gap = input_gap(run)
    return gap is None or (gap.moved < SHIFT and gap.wider < RATIO)
