"""The types of an interview with its way, and of what it comes to."""

from dataclasses import dataclass

from traindx.claim import CheckedClaim, Claim
from traindx.diagnosis import NextExperiment
from traindx.interview import Hypothesis, Interview, Move, Ranking
from traindx.outside import Outside
from traindx.question import Question


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
