"""Numbers that mean the same in many signs, and how clear a value beyond its limit is."""

import math

TINY = 1e-300
"""Keeps a quotient defined whose divisor may be zero; bench/thresholds.md#resolution."""
GRAIN = 1e-6
"""What the numbers of a log resolve, as a share of them; bench/thresholds.md#resolution."""
ROUNDING = 1e-9
"""What rounding leaves between equal numbers, as a share of them; bench/thresholds.md#resolution."""

FEW = 3
"""Points with a begin, a middle and an end, and looks with a median; bench/thresholds.md#few-points."""
SHORT = 5
"""Points that have a trend and a noise of their own; bench/thresholds.md#few-points."""

LATE = 0.6
"""Share of a run after which it is late; bench/thresholds.md#stretches."""
LAST_THIRD = 2 / 3
"""Share of a run after which its last third begins; bench/thresholds.md#stretches."""
LAST_QUARTER = 0.75
"""Share of a run after which its last quarter begins; bench/thresholds.md#stretches."""
END = 0.9
"""Share of a run after which its end begins; bench/thresholds.md#stretches."""

NOISES = 3.0
"""Standard errors that a change must exceed where a yes is harmless; bench/thresholds.md#noises."""
SURE_NOISES = 5.0
"""Standard errors that a change must exceed where it decides alone; bench/thresholds.md#noises."""
STEADY = 4.0
"""Rank trend that no chance makes; bench/thresholds.md#steady."""
SWING = 4.0
"""Deviations from the lower to the upper side of nearly all points; bench/thresholds.md#swing."""

NOTHING = 0.02
"""Share of a level, or of all progress, that is worth nothing; bench/thresholds.md#parts."""
LITTLE = 0.03
"""Share of a level, or of all progress, that is little; bench/thresholds.md#parts."""
SMALL = 0.05
"""Share of a level, or of all progress, that is small; bench/thresholds.md#parts."""
CLEAR = 0.1
"""Share of a level, or of all progress, that is clear; bench/thresholds.md#parts."""
NEARLY_ALL = 0.9
"""Share of units, rows or steps that is as good as all of them; bench/thresholds.md#parts."""

TRACE = 0.1
"""Strength of a finding that is nearly none; bench/thresholds.md#strength."""
FAINT = 0.2
"""Strength of a finding that hardly counts; bench/thresholds.md#strength."""
WEAK = 0.3
"""Strength at the limit of what is measured in orders of magnitude; bench/thresholds.md#strength."""
MILD = 0.4
"""Strength at the limit of what is measured in proportion; bench/thresholds.md#strength."""
FAIR = 0.6
"""Strength of a finding that is more likely right than not; bench/thresholds.md#strength."""
LIKELY = 0.7
"""Strength of a finding with one doubt left; bench/thresholds.md#strength."""
STRONG = 0.8
"""Strength of a finding that is seen indirectly; bench/thresholds.md#strength."""
TRIPLE = 3.0
"""Times its limit at which a value that cannot go far is fully clear; bench/thresholds.md#strength."""
DECADE = 10.0
"""Times its limit at which a value is fully clear; bench/thresholds.md#strength."""
FAR = 30.0
"""Times its limit at which a value that varies widely is fully clear; bench/thresholds.md#strength."""


def graded(value: float, limit: float, full: float | None = None, *, least: float = WEAK) -> float:
    """How clear a value beyond its limit is, by orders of magnitude: `least` at the limit, 1 at `full`.

    Without `full`, ten times the limit is fully clear.
    """
    if value <= 0 or not math.isfinite(value):
        return 1.0
    way = math.log(value / limit) / math.log((DECADE * limit if full is None else full) / limit)
    return min(1.0, max(least, least + (1 - least) * way))


def linear(value: float, limit: float = 0.0, *, over: float = 1.0, least: float = MILD) -> float:
    """How clear a value beyond its limit is, in proportion: `least` at the limit, 1 at `over` above it."""
    return min(1.0, max(least, least + (1 - least) * (value - limit) / over))


MISTAKE = -4.0
"""`healthy=` of what nobody writes on purpose: a run that learns in spite of it still has a bug;
bench/thresholds.md#mistake."""
