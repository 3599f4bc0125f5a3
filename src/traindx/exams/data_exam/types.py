"""The result of an exam of data."""

from dataclasses import dataclass, field
from typing import ClassVar

from traindx.finding import Finding, Mark, Severity, problem
from traindx.run import Floats


@dataclass(frozen=True)
class ClassShare:
    """How often a class stands in each part."""

    name: str
    training: int
    validation: int


@dataclass(frozen=True)
class FeatureRange:
    """Where the values of a feature lie: the least, the quantiles 5, 25, 50, 75, 95 %, and the largest."""

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


@dataclass(frozen=True)
class Row:
    """One row of the data that a fault is about."""

    part: str
    index: int
    """Counted from 0, in the order of the data as given."""
    reason: str
    item: str = ""
    """The file of the row, where each row is one."""


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with what was examined: how bad, in a sentence with numbers, what to do."""

    severity: Severity
    says: str
    cause: str
    """The slug of the cause that it leads to in a training; empty where the catalogue has none."""
    todo: str
    """An order in one sentence."""
    code: str = ""
    """Lines to paste."""
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a fault without a sentence or without an order."""
        if not self.says or not self.todo:
            raise ValueError(f"a fault needs a sentence and something to do: {self}")


@dataclass(frozen=True)
class Check:
    """One question of an exam and its answer."""

    name: str
    asks: str
    says: str
    """What was seen where nothing is wrong, or why it was not asked."""
    faults: tuple[Fault, ...] = ()
    asked: bool = True
    clears: tuple[str, ...] = ()
    """Causes that are not to be feared where it passes without a remark."""

    @property
    def mark(self) -> Mark:
        """Fail from serious faults on, warn with a warning, pass with remarks at most."""
        if not self.asked:
            return Mark.UNSEEN
        worst = max((fault.severity.rank for fault in self.faults), default=0)
        if worst >= Severity.SERIOUS.rank:
            return Mark.FAIL
        return Mark.WARN if worst == Severity.WARNING.rank else Mark.PASS


@dataclass(frozen=True)
class Examination:
    """An exam as it ended: every check, and what was taken for granted."""

    exam: ClassVar[str] = "data"
    subject: str
    """What was examined, as the user named it."""
    about: str
    """What it is: rows, features, classes."""
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    """What was guessed, sampled or left out."""
    portrait: Portrait | None = field(default=None, compare=False)
    """Numbers to draw."""

    @property
    def verdict(self) -> Mark:
        """The worst mark of all checks."""
        return max((check.mark for check in self.checks), key=lambda mark: mark.rank, default=Mark.UNSEEN)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults, the worst first."""
        found = [fault for check in self.checks for fault in check.faults]
        return tuple(sorted(found, key=lambda fault: -fault.severity.rank))

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What is worth a warning, the worst first."""
        return tuple(
            problem(one.cause, one.severity, one.says, todo=one.todo)
            for one in self.faults
            if one.severity is not Severity.INFO
        )

    @property
    def cleared(self) -> tuple[str, ...]:
        """Causes that checks looked for in vain."""
        clean = [slug for one in self.checks if one.asked and not one.faults for slug in one.clears]
        found = {fault.cause for fault in self.faults}
        return tuple(dict.fromkeys(slug for slug in clean if slug not in found))

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes that warnings and worse lead to, the worst first."""
        harmful = [one.cause for one in self.faults if one.cause and one.severity is not Severity.INFO]
        return tuple(dict.fromkeys(harmful))
