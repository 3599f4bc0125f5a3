"""The result of an exam of data."""

from dataclasses import dataclass, field
from typing import ClassVar

from traindx.exams.questions import Checked, is_bad, verdict, worst_first
from traindx.finding import Finding, Mark
from traindx.format import Displayed
from traindx.run import Floats


@dataclass(frozen=True)
class ClassShare:
    """How often a class stands in each part."""

    name: str
    training: int
    validation: int


@dataclass(frozen=True)
class FeatureRange:
    """Where the values of a feature lie: the least, the quantiles 5, 25, 50, 75, 95%, and the largest."""

    name: str
    training: tuple[float, ...]
    validation: tuple[float, ...] = ()
    missing: float = 0.0
    """The share of values that are missing or not finite."""
    drift: float | None = None
    """The largest distance between the two distribution functions, 0 to 1."""


@dataclass(frozen=True, eq=False)
class Portrait:
    """What the picture of a data set shows; what there is none of is empty."""

    classes: tuple[ClassShare, ...] = ()
    features: tuple[FeatureRange, ...] = ()
    """The ones that say most, not all of very many."""
    feature_count: int = 0
    targets: tuple[Floats, ...] = ()
    """Numbers to predict, of training and of validation."""
    order: tuple[tuple[float, int], ...] = ()
    """Places in the data, 0 to 1, with the number of the class there."""


TRAINING, VALIDATION = "training", "validation"
"""The parts of data that a row can stand in."""


@dataclass(frozen=True, repr=False)
class Examination(Displayed):
    """An exam as it ended: every check, and what was taken for granted."""

    exam: ClassVar[str] = "data"
    subject: str
    """What was examined, as the user named it."""
    about: str
    """What it is: rows, features, classes."""
    checks: tuple[Checked, ...]
    notes: tuple[str, ...] = ()
    """What was guessed, sampled or left out."""
    portrait: Portrait | None = field(default=None, compare=False)
    """Numbers to draw."""

    @property
    def verdict(self) -> Mark:
        """The worst mark of all checks."""
        return verdict(self.checks)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that was found, the worst first; remarks as well."""
        return worst_first(finding for check in self.checks for finding in check.findings)

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What is worth a warning, the worst first."""
        return tuple(finding for finding in self.findings if is_bad(finding))

    @property
    def cleared(self) -> tuple[str, ...]:
        """Causes that checks looked for in vain."""
        clean = [
            checked for checked in self.checks if checked.mark is not Mark.UNSEEN and not checked.findings
        ]
        causes = {finding.cause for finding in self.findings}
        slugs = dict.fromkeys(slug for checked in clean for slug in checked.check.clears)
        return tuple(slug for slug in slugs if slug not in causes)

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes that warnings and worse lead to, the worst first."""
        return tuple(dict.fromkeys(problem.cause for problem in self.problems if problem.cause))
