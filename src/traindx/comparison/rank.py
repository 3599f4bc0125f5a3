"""Rank statistics of few numbers, and how often chance would do as well."""

from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from traindx.run import Floats

_ALL_ORDERS = 7
_SHUFFLES, _FEWER_SHUFFLES, _MANY_RUNS = 9999, 1999, 100


def ranks(values: Floats) -> Floats:
    """The rank of each value, equal values sharing the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse], dtype=np.float64)


def standard(values: Floats) -> Floats:
    """Values with mean 0 and length 1, so that their product with others is a correlation."""
    centerd = values - values.mean()
    return np.asarray(centerd / max(float(np.sqrt((centerd**2).sum())), 1e-300))


@cache
def orders(runs: int) -> NDArray[np.intp]:
    """Orders of so many runs, the given one first: all where they are few, else shuffles of a fixed seed."""
    if runs <= _ALL_ORDERS:
        return np.array(list(permutations(range(runs))), dtype=np.intp)
    shuffles = _SHUFFLES if runs <= _MANY_RUNS else _FEWER_SHUFFLES
    original = np.arange(runs, dtype=np.intp)
    drawn = np.random.default_rng(0).permuted(np.tile(original, (shuffles, 1)), axis=1)
    return np.vstack([original, drawn])


def chance(clarity: Floats) -> float:
    """How often an order is at least as clear as the given one, which is the first."""
    return float(np.mean(clarity >= clarity[0] - 1e-9))


def without_groups(values: Floats, groups: NDArray[np.intp]) -> Floats:
    """Values less the mean of their group."""
    return np.asarray(values - (np.bincount(groups, weights=values) / np.bincount(groups))[groups])


def without_line(values: Floats, along: Floats) -> Floats:
    """Values less what a straight line along others explains."""
    unit = standard(along)
    centerd = values - values.mean()
    return np.asarray(centerd - float(centerd @ unit) * unit)


def likeness(first: Floats, second: Floats) -> float:
    """How far two sets of ranks agree, whichever way round, from 0 to 1."""
    return abs(float(standard(first) @ standard(second)))


def grouping(values: Floats, groups: NDArray[np.intp]) -> float:
    """How far groups of words order ranks: the root of the share of their variance between the groups."""
    inner = float((without_groups(values, groups) ** 2).sum())
    return float(np.sqrt(max(0.0, 1 - inner / max(float(((values - values.mean()) ** 2).sum()), 1e-300))))


def contingency(first: NDArray[np.intp], second: NDArray[np.intp]) -> float:
    """Cramer's V: 1 where each group of one lies within a single group of the other."""
    table = np.zeros((int(first.max()) + 1, int(second.max()) + 1))
    np.add.at(table, (first, second), 1)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / len(first)
    square = float(((table - expected) ** 2 / expected).sum())
    return float(np.sqrt(square / (len(first) * (min(table.shape) - 1))))
