"""The figures of judged runs: how often it is right, how often it cries wolf, what its shares are worth."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.judged import Judged
from traindx.cause import Symptom
from traindx.diagnosis.knowledge import cause_named
from traindx.diagnosis.types import Verdict

_BINS = 10

KINDS = {
    Symptom.NOT_LEARNING: "learns too little",
    Symptom.PLATEAU: "learns too little",
    Symptom.SLOW: "learns too little",
    Symptom.GRADIENTS_VANISH: "learns too little",
    Symptom.UNSTABLE: "unstable",
    Symptom.GRADIENTS_EXPLODE: "unstable",
    Symptom.NOT_FINITE: "unstable",
    Symptom.CRASHES: "unstable",
    Symptom.GENERALIZES_BADLY: "fails on new data",
    Symptom.LYING_NUMBERS: "its numbers lie",
    Symptom.TAKES_LONG: "machine",
}
"""The coarse group of a complaint: all that a curve can be expected to tell."""


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """As a number between 0 and 1."""
        return self.hits / self.of if self.of else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval, 95%."""
        if not self.of:
            return math.nan, math.nan
        z, n, p = 1.96, self.of, self.value
        middle, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)

    def __str__(self) -> str:
        return f"{100 * self.value:.0f}%" if self.of else "-"


def share(flags: Sequence[bool]) -> Share:
    """How many of these are true."""
    return Share(sum(flags), len(flags))


def kinds_of(slug: str) -> set[str]:
    """The coarse groups that a cause can show itself in; health is a group of its own."""
    return {slug} if slug in ("healthy", "") else {KINDS[symptom] for symptom in cause_named(slug).symptoms}


@dataclass(frozen=True)
class Figures:
    """What is published of one set."""

    first: Share
    """The right cause first, of runs with a fault that does harm."""
    three: Share
    """Among the first three."""
    group: Share
    """The coarse group, of all runs."""
    alarms: Share
    """Healthy runs with a cause at 0.5 or above."""
    sick: Share
    """Healthy runs that are called sick."""
    harmless: Share
    """Runs with a fault that does no harm, with a cause at 0.5 or above."""
    error: float
    """Expected calibration error of the likeliest hypothesis."""
    open: Share
    """Runs with the verdict inconclusive."""


def figures(runs: Sequence[Judged]) -> Figures:
    """The figures of judged runs."""
    faulty = [run for run in runs if not run.is_healthy]
    well = [run for run in runs if run.is_healthy and not run.row.cause]
    spared = [run for run in runs if run.is_healthy and run.row.cause]
    return Figures(
        first=share([run.hits for run in faulty]),
        three=share([run.hits_in_three for run in faulty]),
        group=share([bool(kinds_of(run.first) & kinds_of(run.row.label)) for run in runs]),
        alarms=share([run.alarms for run in well]),
        sick=share([run.verdict is Verdict.SICK for run in well]),
        harmless=share([run.alarms for run in spared]),
        error=calibration_error(runs),
        open=share([run.verdict is Verdict.INCONCLUSIVE for run in runs]),
    )


def reliability(runs: Sequence[Judged]) -> list[tuple[float, Share]]:
    """For every tenth of confidence: its mean for the likeliest hypothesis, and how often that is true.

    Of verdicts that are given: an inconclusive one states no percentage.
    """
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(_BINS)]
    for run in runs:
        if run.verdict is Verdict.INCONCLUSIVE:
            continue
        name, sure = run.leader
        bins[min(int(sure * _BINS), _BINS - 1)].append((sure, name == run.row.label))
    return [
        (sum(sure for sure, _ in each) / len(each), share([hit for _, hit in each])) for each in bins if each
    ]


def calibration_error(runs: Sequence[Judged]) -> float:
    """The mean distance between confidence and truth."""
    bins = reliability(runs)
    total = sum(truth.of for _, truth in bins)
    return sum(abs(sure - truth.value) * truth.of for sure, truth in bins) / max(total, 1)


def by_cause(runs: Sequence[Judged]) -> dict[str, tuple[Share, Share]]:
    """For every cause that was injected: recall, and precision of what is named first."""
    named = Counter(run.first for run in runs)
    right = Counter(run.first for run in runs if run.hits)
    total = Counter(run.row.label for run in runs if not run.is_healthy)
    return {
        cause: (Share(right[cause], total[cause]), Share(right[cause], named[cause]))
        for cause in sorted(total)
    }


def confusions(runs: Sequence[Judged]) -> Counter[tuple[str, str]]:
    """How often one thing is taken for another."""
    return Counter((run.row.label, run.first or "no verdict") for run in runs if not run.hits)


def risks(runs: Sequence[Judged]) -> list[tuple[float, float]]:
    """Coverage and risk: how often the likeliest hypothesis is wrong among the surest runs.

    Runs with an inconclusive verdict come last: they are the ones that are not answered.
    """
    order = sorted(runs, key=lambda run: (run.verdict is Verdict.INCONCLUSIVE, -run.leader[1]))
    wrong, curve = 0, []
    for number, run in enumerate(order, 1):
        wrong += run.leader[0] != run.row.label
        curve.append((number / len(order), wrong / number))
    return curve
