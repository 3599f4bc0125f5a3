"""Questions asked of a run, and their answers: signs, findings and evidence."""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Annotated, Protocol, get_args, get_origin, get_type_hints

from traindx.run import Axis, Fact, Quantity, Run, Scalar


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


@dataclass(frozen=True)
class Evidence:
    """One number or fact of a run that speaks for a finding, and where it stands."""

    quantity: Quantity | Fact
    steps: tuple[float, float]
    """First and last position, counted by `axis`; equal for a single point, all of the run for a fact."""
    value: Scalar
    limit: float | None = None
    """What the value was held against, in the same unit."""
    axis: Axis = Axis.STEP
    part: str = ""
    layer: str = ""
    batch: int | None = None
    """The batch it was seen in, counted from 1, where one batch is to blame."""
    location: str = ""
    """File and line of the program, where one line is to blame."""

    def __post_init__(self) -> None:
        """Refuse a stretch that ends before it begins."""
        if self.steps[0] > self.steps[1]:
            raise ValueError(f"evidence from step {self.steps[0]} to {self.steps[1]}")


@dataclass(frozen=True)
class Finding:
    """The answer yes: how clearly, in a sentence with numbers, and from which numbers."""

    strength: float
    """Above 0, at most 1: how far beyond its limit."""
    says: str
    evidence: tuple[Evidence, ...]

    def __post_init__(self) -> None:
        """Refuse a finding without evidence, a sentence or a sensible strength."""
        if not self.evidence or not self.says or not 0 < self.strength <= 1:
            raise ValueError(f"a finding needs evidence, a sentence and a strength: {self}")


class CannotTell(Enum):
    """Why a question could not be answered; it then counts neither way."""

    TOO_LITTLE = "too few points, or nothing to compare with"
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

    def __call__(self, run: Run) -> Answer:
        """The answer for a run; what it needs and the run lacks makes it impossible to tell."""
        if self.missing(run):
            return CannotTell.NOT_RECORDED
        return self.ask(run)

    def missing(self, run: Run) -> tuple[Need, ...]:
        """What the sign needs and the run does not have."""
        return tuple(need for need in self.needs if not any(_is_in(one, run) for one in _any(need)))

    def limited(self, values: Mapping[str, float]) -> "Sign":
        """The same question with other limits."""
        known = {limit.name: limit for limit in self.limits}
        unknown = set(values) - set(known)
        if unknown:
            raise ValueError(f"{self.slug} has no limit {sorted(unknown)[0]}; it has {', '.join(known)}")
        bad = [name for name, value in values.items() if not math.isfinite(value) or value <= 0]
        if bad:
            raise ValueError(f"{self.slug}.{bad[0]} is {values[bad[0]]}; a limit is a number above 0")
        limits = tuple(replace(limit, value=values.get(limit.name, limit.value)) for limit in self.limits)
        return replace(self, ask=partial(self.ask, **values), limits=limits)


def _any(need: Need) -> tuple[Known, ...]:
    return need if isinstance(need, tuple) else (need,)


def _is_in(one: Known, run: Run) -> bool:
    return one in run.facts if isinstance(one, Fact) else one in run


def sign(*, needs: tuple[Need, ...], severity: Severity = Severity.INFO) -> Callable[[Ask], Sign]:
    """Make a function the sign of its name; its docstring is the question, its defaults the limits."""

    def declare(ask: Ask) -> Sign:
        page = inspect.getdoc(ask)
        if not page:
            raise ValueError(f"{ask.__name__} needs a docstring: the statement it asks for")
        return Sign(ask.__name__, page.splitlines()[0], needs, severity, ask, _limits(ask))

    return declare


def _limits(ask: Ask) -> tuple[Limit, ...]:
    hints = get_type_hints(ask, include_extras=True)
    limits = []
    for name, parameter in inspect.signature(ask).parameters.items():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        hint = hints[name]
        if get_origin(hint) is not Annotated:
            raise ValueError(f"{ask.__name__}: the limit {name} does not say where it comes from")
        limits.append(Limit(name, float(parameter.default), str(get_args(hint)[1])))
    return tuple(limits)


class Mark(Enum):
    """What came of looking at one thing."""

    PASS = "pass"  # noqa: S105  # no password
    WARN = "warn"
    FAIL = "fail"
    UNSEEN = "not looked at"

    @property
    def rank(self) -> int:
        """0 for what was not looked at up to 3 for a fail."""
        return (Mark.UNSEEN, Mark.PASS, Mark.WARN, Mark.FAIL).index(self)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with what was examined, under the name of its cause."""

    cause: str
    """The slug of a cause, whose page `traindx explain` has, or NON_FINITE, which several causes share."""
    severity: Severity
    says: str
    """A sentence with the numbers."""
    layers: tuple[str, ...] = ()
    """Those it was seen in, where it was seen in some."""
    todo: str = ""
    """An order in one sentence; empty where the page of the cause has it."""

    def __str__(self) -> str:
        return f"{self.cause}: {self.says}"

    @property
    def is_error(self) -> bool:
        """Whether a training should not go on like this."""
        return self.severity.rank >= Severity.SERIOUS.rank


NON_FINITE = "non-finite"


def worst_first(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems by severity; those that are equally bad stay in their order."""
    return tuple(sorted(problems, key=lambda one: -one.severity.rank))


def errors_in(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Those that should stop a training."""
    return tuple(one for one in problems if one.is_error)


@dataclass(frozen=True)
class Statement:
    """What one exam saw, under the names of causes."""

    exam: str
    """Which exam it was: "gradients", "data", "preflight"."""
    problems: tuple[Problem, ...]
    cleared: tuple[str, ...] = ()
    """Slugs of causes that it could have seen, and did not."""

    @property
    def command(self) -> str:
        """What a user calls to hold it again."""
        return self.exam if self.exam in ("preflight", "lr-find") else f"examine {self.exam}"


class Exam(Protocol):
    """Any exam that has ended."""

    @property
    def statement(self) -> Statement:
        """What it has to say."""
        ...
