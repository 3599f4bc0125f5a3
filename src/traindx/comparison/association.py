"""Which hyperparameter goes with the outcome, as far as so few runs can tell.

Ranks, not values: one diverged run must not decide, and a rate is judged alike on any scale. How often an
order as clear comes about by chance is counted over shuffled outcomes (over all orders where there are few),
and multiplied by the number of hyperparameters tried. What the first explains is taken away before the next
is looked for, so that a grid shows its second hyperparameter too. Where several differ, repeats with other
seeds count once: they share whatever else was chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from traindx.comparison.hyperparameters import Hyperparameters, Values, numbers
from traindx.comparison.rank import (
    chance,
    contingency,
    grouping,
    likeness,
    orders,
    ranks,
    standard,
    without_groups,
    without_line,
)
from traindx.comparison.types import Association
from traindx.format import listed, number, percentage, printable
from traindx.run import Floats

FEWEST = 4
"""With three runs even a perfect order is chance one time in three."""
_SURE = 0.05
_TOGETHER = 0.8
"""Two hyperparameters whose ranks agree so far cannot be told apart."""
_VALLEY_RUNS = 6
_PIVOTS = 12
_CLEARER = 0.05
"""A middle optimum must order the runs this much better than a straight one to be believed."""
_SEVERAL = 8
"""So many runs are needed to look for a second hyperparameter behind the first."""
_GRAIN = 1e-9


@dataclass(frozen=True, eq=False)
class _Factor:
    """One hyperparameter over the runs that state it."""

    name: str
    rows: NDArray[np.intp]
    labels: tuple[str, ...]
    groups: NDArray[np.intp]
    """For each row the place of its label."""
    values: Floats | None
    """None for words, which have no order."""


@dataclass(frozen=True)
class _Link:
    """How a hyperparameter goes with the outcome."""

    factor: _Factor
    correlation: float
    says: str
    chance: float


@dataclass(frozen=True)
class Associations:
    """The hyperparameters that go with the outcome beyond chance, and what is to be said of the others."""

    found: tuple[Association, ...]
    notes: tuple[str, ...]


def associations(chosen: Hyperparameters, turned: Sequence[float], measure: str) -> Associations:
    """The hyperparameters that order the runs more clearly than chance would, the clearest first."""
    if not chosen.differing:
        return Associations((), ())
    cases = [[run] for run in range(len(turned))]
    factors = _factors(chosen, cases)
    if len(_without_twins(factors)) > 1:
        cases = chosen.configurations()
        factors = _factors(chosen, cases)
    if len(cases) < FEWEST:
        few = (
            f"Too few configurations to relate hyperparameters to the outcome ({len(cases)}; needs {FEWEST})."
        )
        return Associations((), (few,))
    distinct = _without_twins(factors)
    badness = ranks(np.array([np.median([turned[run] for run in case]) for case in cases]))
    links: list[_Link] = []
    nearest: _Link | None = None
    left = list(distinct)
    while left:
        tried = [link for factor in left if (link := _link(factor, badness, len(distinct), measure))]
        best = min(tried, key=lambda link: link.chance, default=None)
        nearest = nearest or best
        if best is None or best.chance > _SURE or (links and len(best.factor.rows) < _SEVERAL):
            break
        links.append(best)
        badness = _explained_away(badness, best.factor)
        left = [factor for factor in left if _likeness(factor, best.factor) < _TOGETHER]
    every = tuple(_association(link, links[:index], factors) for index, link in enumerate(links))
    return Associations(every, _notes(links, nearest, distinct, len(cases)))


def _notes(
    links: Sequence[_Link], nearest: _Link | None, tried: Sequence[_Factor], runs: int
) -> tuple[str, ...]:
    if links:
        return ("Correlation does not prove a cause: change only this hyperparameter to confirm it.",)
    if nearest is None:
        return ("No hyperparameter can be judged: none is numeric or shares a value between runs.",)
    name, chances = nearest.factor.name, _p(nearest.chance)
    if len(tried) == 1:
        return (f"The order of {runs} runs by {name} is not significant ({chances}).",)
    return (
        f"No hyperparameter is significant over {runs} runs; the closest of {len(tried)} is {name}"
        f" ({chances}).",
    )


def _association(link: _Link, before: Sequence[_Link], factors: Sequence[_Factor]) -> Association:
    factor = link.factor
    together = [
        other.name for other in factors if other is not factor and _likeness(other, factor) >= _TOGETHER
    ]
    says = f"{factor.name}: {link.says}; {_p(link.chance)}"
    if before:
        says += f" after accounting for {listed([other.factor.name for other in before], 3)}"
    if together:
        varies = "which varies" if len(together) == 1 else "which vary"
        says += f"; cannot be separated from {listed(together, 3)}, {varies} with it"
    return Association(factor.name, link.correlation, len(factor.rows), says, link.chance)


def _p(chance: float) -> str:
    return f"p = {chance:#.2g}"


def _factors(chosen: Hyperparameters, cases: Sequence[Sequence[int]]) -> list[_Factor]:
    stated = {name: tuple(values[case[0]] for case in cases) for name, values in chosen.differing.items()}
    return [factor for name, values in stated.items() if (factor := _factor(name, values))]


def _factor(name: str, values: Values) -> _Factor | None:
    """A hyperparameter that can be judged: stated by enough runs, and with an order or with repeats."""
    rows = np.array([i for i, value in enumerate(values) if value is not None], dtype=np.intp)
    stated = [value for value in values if value is not None]
    if len(rows) < FEWEST or len(set(stated)) < 2:
        return None
    ordered = numbers(values)
    if not ordered and len(set(stated)) > len(stated) / 2:
        return None
    labels, groups = np.unique([str(value) for value in stated], return_inverse=True)
    numeric = np.array(stated, dtype=np.float64) if ordered else None
    return _Factor(name, rows, tuple(str(label) for label in labels), groups, numeric)


def _link(factor: _Factor, badness: Floats, tried: int, measure: str) -> _Link | None:
    outcome = badness[factor.rows]
    if float(outcome.max() - outcome.min()) < _GRAIN:
        return None
    judge = _by_order if factor.values is not None else _by_groups
    link = judge(factor, outcome, measure)
    return _Link(factor, link.correlation, link.says, min(1.0, link.chance * tried))


def _by_order(factor: _Factor, badness: Floats, measure: str) -> _Link:
    """Spearman's correlation, or that with the distance from a middle value where this orders better."""
    assert factor.values is not None
    values = factor.values
    shuffled = standard(badness)[orders(len(badness))]
    straight = shuffled @ standard(ranks(values))
    valleys = shuffled @ _distances(ranks(values))
    clarity = np.maximum(np.abs(straight), valleys.max(axis=1, initial=-1.0) - _CLEARER)
    as_ordered = float(straight[0])
    if clarity[0] <= abs(as_ordered) + _GRAIN:
        says = f"{'lower' if as_ordered > 0 else 'higher'} values go with a better {measure}"
        return _Link(factor, -as_ordered, f"{says} {_correlation(-as_ordered, len(values))}", chance(clarity))
    near = values[np.argsort(badness)[: max(2, len(values) // 3)]]
    low, high = np.quantile(near, (0.1, 0.9), method="nearest").tolist()
    best = float(valleys[0].max())
    says = f"values from {number(low)} to {number(high)} go with the best {measure}"
    says += ", lower and higher ones with a worse"
    return _Link(factor, best, f"{says} {_correlation(best, len(values))}", chance(clarity))


def _correlation(value: float, runs: int) -> str:
    return f"(rank correlation {value:+.2f}, {runs:,} runs)"


def _distances(positions: Floats) -> Floats:
    """How far each run lies from a pivot, for values between the outermost; one standardized column each."""
    inner = np.unique(positions)[1:-1]
    if len(inner) < 3 or len(positions) < _VALLEY_RUNS:
        return np.empty((len(positions), 0))
    chosen = np.unique(np.linspace(0, len(inner) - 1, min(len(inner), _PIVOTS)).round().astype(int))
    return np.stack([standard(ranks(np.abs(positions - pivot))) for pivot in inner[chosen]], axis=1)


def _by_groups(factor: _Factor, badness: Floats, measure: str) -> _Link:
    """The share of the ranks' variance that lies between the groups."""
    sizes = np.bincount(factor.groups)
    member = (factor.groups[:, None] == np.arange(len(sizes))) / np.sqrt(sizes)
    centerd = badness - badness.mean()
    shares = ((centerd[orders(len(centerd))] @ member) ** 2).sum(axis=1) / float((centerd**2).sum())
    levels = np.bincount(factor.groups, weights=badness) / sizes
    best, worst = (printable(factor.labels[index], 40) for index in (levels.argmin(), levels.argmax()))
    says = (
        f"{best} goes with the best {measure}, {worst} with the worst"
        f" (explains {percentage(float(shares[0]))} of the order of {len(badness)} runs)"
    )
    return _Link(factor, float(shares[0]), says, chance(shares))


def _explained_away(badness: Floats, factor: _Factor) -> Floats:
    """What remains of the order when a hyperparameter's share of it is taken away."""
    left = badness.copy()
    outcome = badness[factor.rows]
    if factor.values is None or 3 * len(factor.labels) <= len(factor.rows):
        left[factor.rows] = without_groups(outcome, factor.groups) + outcome.mean()
    else:
        left[factor.rows] = without_line(outcome, ranks(factor.values)) + outcome.mean()
    return left


def _without_twins(factors: Sequence[_Factor]) -> list[_Factor]:
    """One of each set of hyperparameters that sort the runs alike: they are one try, not several."""
    kept: list[_Factor] = []
    for factor in factors:
        if not any(
            np.array_equal(factor.rows, old.rows) and _likeness(factor, old) > 1 - _GRAIN for old in kept
        ):
            kept.append(factor)
    return kept


def _likeness(factor: _Factor, other: _Factor) -> float:
    """How far two hyperparameters vary together over the runs that state both, from 0 to 1."""
    _, left, right = np.intersect1d(factor.rows, other.rows, return_indices=True)
    pairs = ((factor, left), (other, right))
    groups = [factor.groups[at] for factor, at in pairs]
    if len(left) < FEWEST or any(len(np.unique(group)) < 2 for group in groups):
        return 0.0
    compact = [np.unique(group, return_inverse=True)[1] for group in groups]
    first, second = (None if factor.values is None else ranks(factor.values[at]) for factor, at in pairs)
    if first is None:
        return contingency(compact[0], compact[1]) if second is None else grouping(second, compact[0])
    return grouping(first, compact[1]) if second is None else likeness(first, second)
