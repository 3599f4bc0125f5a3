"""The types of an interview."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from traindx.cause import Cause
from traindx.diagnosis.types import Diagnosis, NextExperiment, Reason, SignResult
from traindx.interview.complaints import Outside
from traindx.interview.questions.types import Complaint, Question, Told
from traindx.run import Fact, Run, Scalar


@dataclass(frozen=True, eq=False)
class Claim:
    """Something people say who think they know the cause; every one is declared in `claims`."""

    slug: str
    means: str
    """As causes spell it among their misdiagnoses: "I need another optimizer"."""
    words: re.Pattern[str]
    """What people write who mean it."""
    right_if: tuple[Cause, ...]
    """The causes with which it is right, the plainest first; none for what is never the cause."""
    reply: str
    """What is true of it whatever the evidence says."""
    or_healthy: bool = False
    """Whether it is right as well if nothing is wrong."""
    is_pressure: bool = False
    """Whether it asks for a guess in place of naming a cause."""
    quoted: str = ""
    """The words of the person who made it; empty if nobody did."""

    @property
    def says(self) -> str:
        """The claim as the person put it."""
        return self.quoted or self.means


class Stand(Enum):
    """How a claim stands before the evidence."""

    HOLDS = "supported by the evidence"
    FAILS = "contradicted by the evidence"
    OPEN = "not decided by the evidence"
    BESIDE = "not a claim about the cause"
    """Pressure, such as a demo tomorrow: there is nothing to check."""


@dataclass(frozen=True, eq=False)
class CheckedClaim:
    """A claim held against what is known."""

    claim: Claim
    stand: Stand
    share: float
    """The belief in the causes with which it is right."""
    says: str
    """The answer in a sentence or two."""
    because: tuple[str, ...]
    """What speaks for or against it, the weightiest first."""
    usually: tuple[Cause, ...]
    """The causes behind it most often, by their own misdiagnoses; the likeliest now first."""
    changes_mind: tuple[str, ...]
    """What would have to be seen for the opposite answer."""


@dataclass(frozen=True, eq=False)
class Gathered:
    """Something that was read in place of asking: a run with its diagnosis, or a script's facts."""

    source: str
    """The path as it was given."""
    says: str
    """What it is, in a few words: "a log of 400 steps"."""
    run: Run
    asked: tuple[SignResult, ...] = ()
    """What signs answer of it."""
    diagnosis: Diagnosis | None = None
    """None for a script or a configuration, in which nothing ran."""


@dataclass(frozen=True, eq=False)
class Interview:
    """All that is known so far; every answer makes a new one."""

    complaints: tuple[Complaint, ...] = ()
    words: str = ""
    """What the person wrote, in place of choosing or beside it."""
    told: tuple[Told, ...] = ()
    gathered: tuple[Gathered, ...] = ()

    def after(self, told: Told) -> "Interview":
        """The interview with one more answer; a question that is answered again keeps its place."""
        if told.question not in [answer.question for answer in self.told]:
            return replace(self, told=(*self.told, told))
        kept = tuple(
            _merged(answer, told) if answer.question is told.question else answer for answer in self.told
        )
        return replace(self, told=kept)

    def with_path(self, gathered: Gathered) -> "Interview":
        """The interview with something more that was read."""
        return replace(self, gathered=(*self.gathered, gathered))

    @property
    def complaint(self) -> str:
        """What the person sees: their own words, and what they are taken for."""
        meant = "; ".join(complaint.says for complaint in self.complaints)
        return f'"{self.words}" ({meant})' if self.words else meant

    @property
    def facts(self) -> Mapping[Fact, Scalar]:
        """All facts; what was read outweighs what was told."""
        return {**self.stated, **(self.run.facts if self.run else {})}

    @property
    def stated(self) -> Mapping[Fact, Scalar]:
        """Facts that were told, or that stand in scripts and configurations."""
        return {**self.said, **self.written}

    @cached_property
    def said(self) -> Mapping[Fact, Scalar]:
        """Facts that a person told."""
        return {fact: value for answer in self.told for fact, value in (answer.facts or {}).items()}

    @cached_property
    def written(self) -> Mapping[Fact, Scalar]:
        """Facts that stand in scripts and configurations."""
        return {
            fact: value
            for evidence in self.gathered
            if not evidence.diagnosis
            for fact, value in evidence.run.facts.items()
        }

    @property
    def is_told(self) -> bool:
        """Whether anything is known beside the complaint."""
        return bool(self.gathered) or any(answer.is_known for answer in self.told)

    @property
    def run(self) -> Run | None:
        """The run that was read last, if any was."""
        return next((evidence.run for evidence in reversed(self.gathered) if evidence.diagnosis), None)


def _merged(first: Told, second: Told) -> Told:
    """The later answer; facts that it does not name stay."""
    return replace(second, facts={**(first.facts or {}), **second.facts}) if second.facts else second


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A cause with its share of the belief, and the lines that add up to its score."""

    cause: Cause
    confidence: float
    """Less sure than the points alone would be where they rest on what was told."""
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, eq=False)
class Ranking:
    """What is believed at one moment of an interview."""

    hypotheses: tuple[Hypothesis, ...]
    """Causes that compete, most likely first; together with `healthy` they add up to one."""
    healthy: float
    healthy_reasons: tuple[Reason, ...] = ()
    contradictions: tuple[str, ...] = ()
    """Where what was told and what was read disagree; what was read counts."""

    @property
    def top(self) -> Hypothesis:
        """The most likely cause."""
        return self.hypotheses[0]

    def share(self, slug: str) -> float:
        """The belief in one cause."""
        return next(
            (hypothesis.confidence for hypothesis in self.hypotheses if hypothesis.cause.slug == slug), 0.0
        )


@dataclass(frozen=True, eq=False)
class Move:
    """One step of the tree that was walked: an answer, or something read, and what it changed."""

    asks: str
    says: str
    after: Ranking
    before: Ranking | None = None
    """None for the complaint, before which nothing is known."""
    question: Question | None = None
    """None for what was read, and for the complaint itself."""


@dataclass(frozen=True, eq=False)
class Consultation:
    """An interview, what is believed after it, and the tree that was walked to get there."""

    interview: Interview
    ranking: Ranking
    moves: tuple[Move, ...] = ()
    claims: tuple[Claim, ...] = ()
    outside: tuple[Outside, ...] = ()


@dataclass(frozen=True)
class Command:
    """Something to run next, and what it would tell."""

    line: str
    tells: str


@dataclass(frozen=True, eq=False)
class Conclusion:
    """What an interview comes to."""

    consultation: Consultation
    says: str
    """The answer in a sentence."""
    stands_out: bool
    """Whether one cause is likely by what was told or read: only then a change is worth naming."""
    hypotheses: tuple[Hypothesis, ...]
    """Those worth naming, most likely first."""
    claims: tuple[CheckedClaim, ...]
    experiment: NextExperiment | None
    commands: tuple[Command, ...]
    question: Question | None
    """The question that would be asked next; None where asking is over."""
    limits: tuple[str, ...]
    """What the answer rests on, and what it does not know."""
