"""The type of what several runs tell when they are laid side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

from traindx.diagnosis.types import Verdict
from traindx.format import Displayed
from traindx.run import Axis, Quantity, Scalar


@dataclass(frozen=True)
class Entry:
    """One run in the table."""

    run: str
    best: float
    """NaN where the run never has a finite value."""
    best_at: float
    """The position of the best value."""
    final: float
    axis: Axis
    points: int
    reached_at: float | None
    """The first position where the run was as good as the common target; None if it never was."""
    verdict: Verdict
    says: str
    """The sentence of its diagnosis."""
    settings: Mapping[str, Scalar]
    """Its values of the hyperparameters in which the runs differ."""


@dataclass(frozen=True)
class Association:
    """A hyperparameter that goes with the outcome over the runs; no proof that it causes it."""

    name: str
    correlation: float
    """For numbers Spearman's rank correlation with how good a run is, above 0 where more is better (where a
    middle value is best: with the nearness to it); for words the share of the order they explain."""
    runs: int
    says: str
    chance: float = 1.0
    """How often so clear an order comes about by chance, for as many hyperparameters as were tried."""


@dataclass(frozen=True)
class Parting:
    """Where two runs part beyond the noise of both."""

    first: str
    second: str
    step: float | None
    """The position in the first run; None: they never part, or share too little to tell."""
    axis: Axis
    says: str
    quantity: Quantity | None = None
    """The curve on which they part."""


@dataclass(frozen=True, repr=False)
class Comparison(Displayed):
    """Runs side by side, the best first."""

    measure: Quantity
    """What the runs are judged by: validation loss where all have it, else the next best."""
    part: str
    target: float | None
    """The value that speed is measured to; one that at least half of the runs reach."""
    entries: tuple[Entry, ...]
    differing: tuple[str, ...]
    """The hyperparameters of which the runs state different values."""
    associations: tuple[Association, ...]
    partings: tuple[Parting, ...]
    notes: tuple[str, ...] = ()
    noise: float | None = None
    """The standard deviation of the best value between runs that differ only in their seed, if any do."""
    warnings: tuple[str, ...] = ()
    """Why the order itself may mean nothing."""
