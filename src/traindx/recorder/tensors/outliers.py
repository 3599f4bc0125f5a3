"""Values far outside the range of their feature.

A value is an outlier when its distance from the median is more than `far` times the cube of `tail`, where
`far` is the distance of the outer tenth on that side and `tail` is `far` over the distance of the outer
quarter, at least 2.15. The tail that the feature shows is continued outward: a normal feature has outliers
beyond 12.7 standard deviations, counts (Poisson, geometric) have none, of skewed amounts one value in 3,000
(lognormal, sigma 1) to one in 500 (sigma 2) counts as one. A feature half of whose values coincide has no
scale of its own and no outliers, and more than a tenth of a side are not outliers but a second population.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import inf

from torch import Tensor

from traindx.recorder.tensors.table import step_through

FEWEST = 16
"""Values of a feature below which its tenth cannot be told."""
SUSPICIOUS = 4.9
"""Largest over mean absolute deviation that a twentieth of outliers reach, and one normal feature in 200."""
_TAIL = 2.15
_MOST_SUSPECTS = 8


def outliers(features: Tensor, suspects: Sequence[int]) -> float:
    """How many of features by values are outliers, searched in these features, or in some of very many."""
    if not suspects:
        return 0.0
    chosen = suspects[:: step_through(len(suspects), _MOST_SUSPECTS)]
    found = sum(_count(sorted(features[place].tolist())) for place in chosen)
    return found * len(suspects) / len(chosen)


def _count(ordered: list[float]) -> int:
    last = len(ordered) - 1
    tenth, quarter, median = last // 10, last // 4, ordered[last // 2]
    low = median - _reach(median - ordered[tenth], median - ordered[quarter])
    high = median + _reach(ordered[last - tenth] - median, ordered[last - quarter] - median)
    return bisect_left(ordered, low) + len(ordered) - bisect_right(ordered, high)


def _reach(far: float, near: float) -> float:
    if near <= 0:
        return inf
    tail = max(far / near, _TAIL)
    return far * tail * tail * tail
