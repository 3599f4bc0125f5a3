"""Whether rows come in the order of their targets."""

import numpy as np

from traindx.curves.inside import looked
from traindx.quantities import NEIGHBOUR_AGREEMENT
from traindx.run import Run

SORTED = 0.3
"""Excess of neighbours with the same target, where 0 is random order and 1 is sorted."""


def neighbours_agree(run: Run, looks: int = 4) -> float | None:
    """How much more often than in random order neighbours share their target; None for few looks."""
    order = looked(run, NEIGHBOUR_AGREEMENT)
    # The first batch of sorted data cannot tell: it knows no other class yet.
    return float(np.median(order.values[1:])) if order is not None and len(order) >= looks else None


def comes_sorted(run: Run) -> bool:
    """Whether rows come sorted, so that a look at some batches knows a few of the classes only."""
    return (neighbours_agree(run) or 0.0) >= SORTED
