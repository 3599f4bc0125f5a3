"""Whether numbers stand in an order: the correlation of their ranks with those next to them."""

from collections.abc import Sequence
from math import sqrt
from operator import mul


def serial_correlation(values: Sequence[float]) -> float | None:
    """Correlation of each rank with the next: 0 shuffled, 1 sorted; None where ranks do not vary.

    Equal values share their rank: sorting alone would number them in the order they stand in.
    """
    first: dict[float, int] = {}
    last: dict[float, int] = {}
    for place, value in enumerate(sorted(values)):
        first.setdefault(value, place)
        last[value] = place
    ranks = [first[value] + last[value] for value in values]
    return _correlation(ranks[:-1], ranks[1:])


def _correlation(these: Sequence[int], others: Sequence[int]) -> float | None:
    count, total, other_total = len(these), sum(these), sum(others)
    spread = count * sum(map(mul, these, these)) - total * total
    other_spread = count * sum(map(mul, others, others)) - other_total * other_total
    if not spread or not other_spread:
        return None
    together: int = count * sum(map(mul, these, others)) - total * other_total
    return together / sqrt(spread * other_spread)
