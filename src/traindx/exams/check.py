"""A check of an exam, and what it came to."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from traindx.finding import Evidence, Finding, Mark, worst_mark


@dataclass(frozen=True)
class Outcome:
    """The answer of a check: what it found, and a sentence beside it."""

    says: str = ""
    """What was seen where nothing is wrong, or why it was not looked at."""
    findings: tuple[Finding, ...] = ()
    is_told: bool = True
    """Whether the check could look at all."""
    evidence: tuple[Evidence, ...] = ()
    """For `says`."""


def unseen(why: str, evidence: tuple[Evidence, ...] = ()) -> Outcome:
    """The answer of a check whose question does not arise, or cannot be answered."""
    return Outcome(why, is_told=False, evidence=evidence)


@dataclass(frozen=True, eq=False)
class Check:
    """One thing that an exam looks at."""

    slug: str
    title: str
    """What holds where it passes, or the question."""
    ask: Callable[..., Outcome]
    """Takes what is examined."""
    order: int
    """Where it stands in its part of the report."""
    part: str = ""
    clears: tuple[str, ...] = ()
    """Slugs of causes that are not to be feared where nothing was found."""
    yields: bool = False
    """Whether a fail is a warning where the program learns one batch by heart all the same."""


@dataclass(frozen=True)
class Checked:
    """A check, and what it came to."""

    check: Check
    outcome: Outcome

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What it found."""
        return self.outcome.findings

    @property
    def says(self) -> str:
        """What was seen where nothing is wrong, or why it was not looked at."""
        return self.outcome.says

    @property
    def mark(self) -> Mark:
        """How it ended."""
        return worst_mark(self.findings) if self.outcome.is_told else Mark.UNSEEN

    @property
    def remark(self) -> Mark:
        """The mark of what `says` tells beside the findings."""
        return Mark.PASS if self.outcome.is_told else Mark.UNSEEN

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes that fails and warnings point to, each once."""
        return tuple(dict.fromkeys(slug for one in self.findings if is_bad(one) for slug in one.causes))


def is_bad(finding: Finding) -> bool:
    """Whether it is more than a remark."""
    return finding.mark is not Mark.PASS


def verdict(checks: Iterable[Checked]) -> Mark:
    """The worst mark of all checks."""
    return max((one.mark for one in checks), key=lambda mark: mark.rank, default=Mark.UNSEEN)
