"""The type of one question asked of a run."""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, get_args, get_origin, get_type_hints

from traindx.fact import Fact
from traindx.finding import Answer, CannotTell, Severity
from traindx.quantity import Quantity
from traindx.run import Run

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
