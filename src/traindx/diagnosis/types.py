"""The type of what is known about a run after every question was asked."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from traindx.cause import Cause, Experiment
from traindx.curves.recognition import UNRECOGNIZED, Recognized
from traindx.finding import Answer, CannotTell, Evidence, Finding, Severity, Sign
from traindx.format import Displayed
from traindx.objective import Problem
from traindx.quantities import INPUT_MEAN, INPUT_STD
from traindx.run import Fact, Run


class Verdict(Enum):
    """The short answer."""

    HEALTHY = "healthy"
    SICK = "sick"
    INCONCLUSIVE = "inconclusive"


_OF_DATA = (INPUT_MEAN, INPUT_STD)
"""What is measured of the data itself, and as certain as what is read from the program."""


@dataclass(frozen=True)
class SignResult:
    """One question and its answer."""

    sign: Sign
    answer: Answer
    weight: float = 1.0
    """What it counts of an answer that was measured: less where a person only says so."""

    @property
    def is_told(self) -> bool:
        """Whether nothing measured it."""
        return self.weight < 1

    @property
    def finding(self) -> Finding | None:
        """The finding, if the answer is yes."""
        return self.answer if isinstance(self.answer, Finding) else None

    @property
    def cannot_tell(self) -> bool:
        """Whether the run could not answer."""
        return isinstance(self.answer, CannotTell)

    @property
    def severity(self) -> Severity:
        """How much it harms: what the finding says of itself, else its sign."""
        return (self.finding.severity if self.finding else None) or self.sign.severity

    @property
    def is_certain(self) -> bool:
        """Whether it states a property of the program that does harm, with the line that shows it."""
        if self.finding is None or self.severity.rank < Severity.SERIOUS.rank:
            return False
        is_stated = any(isinstance(e.quantity, Fact) or e.quantity in _OF_DATA for e in self.finding.evidence)
        return is_stated and bool(self.finding.location)


@dataclass(frozen=True)
class Reason:
    """One line of the sum that is a score."""

    says: str
    points: float
    sign: Sign | None = None
    """None for the prior."""
    seen: bool = False
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class Suspect:
    """A cause with its share of the belief and the sum it comes from."""

    cause: Cause
    confidence: float
    score: float
    reasons: tuple[Reason, ...]
    """Their points add up to the score."""
    severity: Severity
    mechanism: Cause | None = None
    """How this root fails the training, where that was seen as well."""
    line: str = ""
    """File and line that the cause is changed at, where the run knows it."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All evidence that speaks for it, the weightiest reason first."""
        ranked = sorted((r for r in self.reasons if r.seen and r.points > 0), key=lambda r: -r.points)
        return tuple(dict.fromkeys(evidence for reason in ranked for evidence in reason.evidence))

    @property
    def place(self) -> str:
        """File and line to look at: where the evidence says it is, else where the cause is changed."""
        return next((evidence.location for evidence in self.evidence if evidence.location), self.line)

    @property
    def fingerprint(self) -> str:
        """What stays the same when lines move: the cause and its file, "wrong-loss@train.py"."""
        file, _, line = self.place.rpartition(":")
        return f"{self.cause.slug}@{file}" if line.isdecimal() else self.cause.slug

    @property
    def layer(self) -> str:
        """The layer that the weightiest evidence names; empty where none does."""
        return next((evidence.layer for evidence in self.evidence if evidence.layer), "")

    @property
    def batch(self) -> int | None:
        """The batch that is to blame, where one is."""
        return next((evidence.batch for evidence in self.evidence if evidence.batch is not None), None)


INSIDE = "inside"
"""Stands for all that a log cannot hold: layers, batches and code, which `traindx run` records."""


@dataclass(frozen=True)
class NotRecorded:
    """Something the run does not hold, and what it would tell."""

    quantity: str
    would_tell: str


@dataclass(frozen=True)
class NextExperiment:
    """The cheapest test that separates the leading suspects."""

    tests: Cause
    experiment: Experiment
    against: tuple[Cause, ...]
    seconds: float | None = None
    """About how long it takes, by this run's own pace; None where that is not known or nothing is run."""


@dataclass(frozen=True, repr=False)
class Diagnosis(Displayed):
    """Ranked suspects with reasons, the probability that the run is healthy, and what is not known."""

    run: str
    verdict: Verdict
    says: str
    """What makes the verdict, as one sentence without a period; it does not repeat the title of a suspect."""
    healthy: float
    """Probability that nothing is wrong."""
    suspects: tuple[Suspect, ...]
    """Most likely first; together with `healthy` they make up nearly all of the belief."""
    ruled_out: tuple[Suspect, ...]
    """Considered and dropped, the least unlikely first."""
    asked: tuple[SignResult, ...]
    healthy_reasons: tuple[Reason, ...]
    not_recorded: tuple[NotRecorded, ...] = ()
    next_experiment: NextExperiment | None = None
    problem: Problem | None = None
    """What is wrong, whatever its cause, if the run is sick."""
    objective: Recognized = UNRECOGNIZED
    """What the run trains, and what shows it."""
    source: Run | None = field(default=None, compare=False)
    """The run itself, for those who show it."""

    @property
    def findings(self) -> tuple[SignResult, ...]:
        """The questions answered with yes."""
        return tuple(asked for asked in self.asked if asked.finding)

    @property
    def confidence(self) -> float:
        """How sure the verdict is: of health if healthy, of sickness otherwise."""
        return self.healthy if self.verdict is Verdict.HEALTHY else 1 - self.healthy

    @property
    def severity(self) -> Severity:
        """How bad it is: that of the first suspect."""
        if self.verdict is not Verdict.SICK or not self.suspects:
            return Severity.INFO
        return self.suspects[0].severity


def total(lines: Iterable[Reason]) -> float:
    """The score: the sum of the points."""
    return math.fsum(line.points for line in lines)


class Exam(Protocol):
    """Any exam that has ended."""

    @property
    def exam(self) -> str:
        """Which exam it is: "gradients", "data", "preflight"."""

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What it found wrong, under the names of causes."""

    @property
    def cleared(self) -> tuple[str, ...]:
        """Slugs of causes that it could have seen, and did not."""
