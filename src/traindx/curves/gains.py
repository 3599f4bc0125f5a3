"""How large weights begin, against what the size of their layer asks for."""

import math
from dataclasses import dataclass

from traindx.curves.inside import Matrix, matrices, size_of, units_of
from traindx.quantities import WEIGHT_NORM
from traindx.run import Run


@dataclass(frozen=True, eq=False)
class Gain:
    """A weight matrix at the first look."""

    matrix: Matrix
    gain: float
    """Spread of a weight times the root of the values that enter a unit: 1.4 is He's, 0.6 torch's own."""


def starting_gains(run: Run) -> list[Gain]:
    """The gain of every weight matrix at the first look; none where that came after many steps."""
    found = []
    for matrix in matrices(run, WEIGHT_NORM):
        if matrix.series.steps[0] > 3:
            continue
        size, units = size_of(matrix.layer), max(units_of(matrix.layer), 1)
        spread = matrix.first / math.sqrt(max(size, 1))
        found.append(Gain(matrix, spread * math.sqrt(size / units)))
    return found
