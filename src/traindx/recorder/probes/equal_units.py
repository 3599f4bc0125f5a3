"""Units of one layer with the same weights: they compute the same, get the same gradient, and stay the same.

A unit is a row of a weight, or of the last dimension of a Keras kernel. Of a large weight some units are
compared, by a few of their inputs; where those agree, by all: most values of an identity are zeros.
"""

from collections import Counter
from collections.abc import Iterator

import torch
from torch import Tensor

from traindx.quantities import EQUAL_UNIT_SHARE
from traindx.recorder.probes.types import Probe, Snapshot, Update
from traindx.recorder.tensors.access import plain, reckoning

_AT_FIRST, _EVERY = 3, 8
"""Looks at which units are compared: equal ones are so from the start, or not at all."""
_UNITS, _FEW, _INPUTS = 64, 16, 4096
"""Units of each weight, and inputs of each unit, at a glance and at most."""
_WEIGHTS = 512
"""Weights that are looked at."""
_UNITS_LAST = ("kernel", "recurrent_kernel", "depthwise_kernel", "pointwise_kernel")
"""What Keras calls weights whose last dimension counts units."""


class EqualUnits(Probe):
    """Compares the units of each weight with each other."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._looks: dict[str, int] = {}
        """By the first parameter of what an optimizer holds: several take turns."""

    def update_begins(self, snapshot: Snapshot, update: Update) -> None:
        """Write the share of units that equal another."""
        if not update.parameters:
            return
        first = update.names[0]
        looks = self._looks[first] = self._looks.get(first, 0) + 1
        if looks > _AT_FIRST and looks % _EVERY:
            return
        found = equal_shares(update)
        snapshot.add_all(EQUAL_UNIT_SHARE, [(name, "") for name, _ in found], [share for _, share in found])


def equal_shares(update: Update) -> list[tuple[str, float]]:
    """Of each weight the share of units that equal another."""
    with reckoning():
        return [(name, _equal_share(units)) for name, units in _matrices(update)]


def _matrices(update: Update) -> Iterator[tuple[str, Tensor]]:
    """Weights by name, their units first."""
    left = _WEIGHTS
    for name, value in zip(update.names, update.values, strict=True):
        weight = plain(value)
        if weight is None or weight.dim() < 2 or not left:
            continue
        own = name.rpartition(".")[2]
        if own.startswith(_UNITS_LAST):
            weight = weight.movedim(-1, 0)
        if weight.shape[0] > 1:
            left -= 1
            yield name, weight


def _equal_share(units: Tensor) -> float:
    step = -(-units.shape[0] // _UNITS)
    rows = units[::step].flatten(1)
    equal = _equal_rows(rows[:, :_FEW])
    if equal and rows.shape[1] > _FEW:
        equal = _equal_rows(rows[:, :: -(-rows.shape[1] // _INPUTS)])
    return equal / len(rows)


def _equal_rows(rows: Tensor) -> int:
    """Rows that have the bits of another."""
    bits = rows.cpu().contiguous().view(torch.uint8).numpy()
    counts = Counter(row.tobytes() for row in bits)
    return sum(count for count in counts.values() if count > 1)


PROBE = EqualUnits
