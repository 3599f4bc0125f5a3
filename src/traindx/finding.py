"""Checks of a run and their answers: signs, findings and evidence."""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Annotated, get_args, get_origin, get_type_hints

from traindx.objective import Problem
from traindx.run import Axis, Fact, Quantity, Run, Scalar


class Mark(Enum):
    """How a check or an exam ended."""

    PASS = "pass"  # noqa: S105  # no password
    WARN = "warn"
    FAIL = "fail"
    UNSEEN = "not looked at"

    @property
    def rank(self) -> int:
        """0 for what was not looked at up to 3 for a fail."""
        return (Mark.UNSEEN, Mark.PASS, Mark.WARN, Mark.FAIL).index(self)


class Severity(Enum):
    """How much a finding harms the training, from none to total."""

    INFO = "info"
    WARNING = "warning"
    SERIOUS = "serious"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for info up to 3 for critical."""
        return list(Severity).index(self)

    @property
    def mark(self) -> Mark:
        """Fail from serious on, warn with a warning, pass with a remark."""
        if self.rank >= Severity.SERIOUS.rank:
            return Mark.FAIL
        return Mark.WARN if self is Severity.WARNING else Mark.PASS


@dataclass(frozen=True)
class Evidence:
    """One number or fact of a run that supports a finding, and where it was seen."""

    quantity: Quantity | Fact
    steps: tuple[float, float]
    """First and last position, counted by `axis`; equal for a single point, all of the run for a fact."""
    value: Scalar
    limit: float | None = None
    """What the value was compared with, in the same unit."""
    axis: Axis = Axis.STEP
    part: str = ""
    layer: str = ""
    batch: int | None = None
    """The batch it was seen in, counted from 1, if a single batch causes it."""
    location: str = ""
    """File and line of the program, if a single line causes it."""

    def __post_init__(self) -> None:
        """Refuse a stretch that ends before it begins."""
        if self.steps[0] > self.steps[1]:
            raise ValueError(f"evidence ends before it starts: steps {self.steps[0]} to {self.steps[1]}")


class RowKind(Enum):
    """What a row of a finding is."""

    LAYER = "layer"
    COLUMN = "column"
    SAMPLE = "sample"


@dataclass(frozen=True)
class Row:
    """A layer, a column or a sample that a finding is about."""

    kind: RowKind
    name: str = ""
    """Of the layer or column; the file of a sample, where each is one."""
    part: str = ""
    """"training" or "validation", for a sample."""
    index: int | None = None
    """Of a sample, counted from 0, in the order of the data as given."""
    reason: str = ""


@dataclass(frozen=True)
class Finding:
    """The answer yes: how clearly, in a sentence with numbers, and from which numbers; exams say more."""

    strength: float
    """Above 0, at most 1: how far beyond its limit."""
    says: str
    evidence: tuple[Evidence, ...]
    severity: Severity | None = None
    """None: the one of the sign."""
    cause: str = ""
    """The slug of a cause, whose page `traindx explain` has; NON_FINITE where several share it."""
    todo: str = ""
    """An order in one sentence; empty where the page of the cause has it."""
    rows: tuple[Row, ...] = ()
    code: str = ""
    """Lines to paste."""
    also: tuple[str, ...] = ()
    """Slugs of other causes it may come from."""
    sign: str = ""
    """The slug of the sign that an exam asked; empty in the answer of a sign itself."""

    def __post_init__(self) -> None:
        """Refuse a finding without a sentence, a sensible strength, or both evidence and severity."""
        if not (self.evidence or self.severity) or not self.says or not 0 < self.strength <= 1:
            raise ValueError(
                f"a finding needs evidence or severity, a sentence, and a strength above 0 up to 1: {self}"
            )

    def __str__(self) -> str:
        return f"{self.cause}: {self.says}" if self.cause else self.says

    @property
    def degree(self) -> Severity:
        """How bad it is, as far as the finding itself says."""
        return self.severity or Severity.INFO

    @property
    def mark(self) -> Mark:
        """What it makes of the check that found it."""
        return self.degree.mark

    @property
    def causes(self) -> tuple[str, ...]:
        """All causes it may come from, the likeliest first."""
        return (self.cause, *self.also) if self.cause else self.also

    @property
    def location(self) -> str:
        """File and line to look at; empty where none is known."""
        return next((evidence.location for evidence in self.evidence if evidence.location), "")

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers it is about."""
        return tuple(row.name for row in self.rows if row.kind is RowKind.LAYER)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the data that it is about."""
        return tuple(row.name for row in self.rows if row.kind is RowKind.COLUMN)

    @property
    def samples(self) -> tuple[Row, ...]:
        """The rows of the data that it is about."""
        return tuple(row for row in self.rows if row.kind is RowKind.SAMPLE)


NON_FINITE = "non-finite"

_STRENGTH = {Severity.INFO: 0.25, Severity.WARNING: 0.5, Severity.SERIOUS: 1.0, Severity.CRITICAL: 1.0}
"""How clear an exam is that measured by itself: as clear as it is bad."""


def problem(
    cause: str,
    severity: Severity,
    says: str,
    layers: Iterable[str] = (),
    todo: str = "",
    *,
    columns: Iterable[str] = (),
    samples: tuple[Row, ...] = (),
    code: str = "",
    also: tuple[str, ...] = (),
) -> Finding:
    """What an exam found by itself."""
    named = ((RowKind.LAYER, layers), (RowKind.COLUMN, columns))
    rows = (*(Row(kind, name) for kind, names in named for name in names), *samples)
    return Finding(_STRENGTH[severity], says, (), severity, cause, todo, rows, code, also)


class CannotTell(Enum):
    """Why a question could not be answered; it then counts neither way."""

    TOO_LITTLE = "too few logged points, or nothing to compare with"
    NOT_RECORDED = "not recorded"


CANNOT_TELL = CannotTell.TOO_LITTLE

Answer = Finding | CannotTell | None
"""Yes with its evidence, no (`None`: looked for, not there), or cannot tell."""

Ask = Callable[..., Answer]

Known = Quantity | Fact

Need = Known | tuple[Known, ...]
"""A quantity or a fact a sign looks at, or several of which one is enough."""


@dataclass(frozen=True)
class Limit:
    """A number a sign compares with: its value and where it comes from."""

    name: str
    value: float
    source: str


@dataclass(frozen=True, eq=False)
class Sign:
    """One question: a pure function from a run to yes, no or cannot tell."""

    slug: str
    asks: str
    """The statement whose truth is asked for: "The training loss ends far above its best." """
    needs: tuple[Need, ...]
    severity: Severity
    """How bad a clear yes is; INFO for what is normal or good."""
    ask: Ask
    limits: tuple[Limit, ...] = ()
    healthy: float | None = None
    """Points that a clear yes adds to health; None where they follow from the severity."""
    unhealthy: float = 0.0
    """Points that a no adds to health: below 0 where every healthy run shows the sign."""
    formerly: str = ""
    """The slug it had in earlier versions, which is still understood."""
    problem: Problem | None = None
    """What is wrong if it says yes; None for what is only a reason for something."""

    def __call__(self, run: Run) -> Answer:
        """The answer for a run; what it needs and the run lacks makes it impossible to tell."""
        if self.missing(run):
            return CannotTell.NOT_RECORDED
        return self.ask(run)

    def missing(self, run: Run) -> tuple[Need, ...]:
        """What the sign needs and the run does not have."""
        return tuple(need for need in self.needs if not any(_is_in(known, run) for known in _any(need)))

    def limited(self, values: Mapping[str, float]) -> "Sign":
        """The same question with other limits."""
        known = {limit.name: limit for limit in self.limits}
        for name in sorted(set(values) - set(known)):
            raise ValueError(f'check {self.slug} has no limit "{name}"; it has {", ".join(known) or "none"}')
        bad = [name for name, value in values.items() if not math.isfinite(value) or value <= 0]
        if bad:
            raise ValueError(f"{self.slug}.{bad[0]} must be greater than 0, got {values[bad[0]]:g}")
        limits = tuple(replace(limit, value=values.get(limit.name, limit.value)) for limit in self.limits)
        return replace(self, ask=partial(self.ask, **values), limits=limits)


def _any(need: Need) -> tuple[Known, ...]:
    return need if isinstance(need, tuple) else (need,)


def _is_in(known: Known, run: Run) -> bool:
    return known in run.facts if isinstance(known, Fact) else known in run


def sign(
    *,
    needs: tuple[Need, ...],
    severity: Severity = Severity.INFO,
    healthy: float | None = None,
    unhealthy: float = 0.0,
    formerly: str = "",
    problem: Problem | None = None,
) -> Callable[[Ask], Sign]:
    """Make a function the sign of its name; its docstring is the question, its defaults the limits."""

    def declare(ask: Ask) -> Sign:
        page = inspect.getdoc(ask)
        if not page:
            raise ValueError(f"check {ask.__name__} needs a docstring: the statement it tests")
        slug, statement, limits = ask.__name__, page.splitlines()[0], _limits(ask)
        return Sign(slug, statement, needs, severity, ask, limits, healthy, unhealthy, formerly, problem)

    return declare


def _limits(ask: Ask) -> tuple[Limit, ...]:
    hints = get_type_hints(ask, include_extras=True)
    limits = []
    for name, parameter in inspect.signature(ask).parameters.items():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        hint = hints[name]
        if get_origin(hint) is not Annotated:
            raise ValueError(f"check {ask.__name__}: limit {name} has no source; annotate it")
        limits.append(Limit(name, float(parameter.default), str(get_args(hint)[1])))
    return tuple(limits)
