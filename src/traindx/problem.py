"""The type of something that an exam found wrong."""

from collections.abc import Iterable
from dataclasses import dataclass

from traindx.finding import Severity


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
