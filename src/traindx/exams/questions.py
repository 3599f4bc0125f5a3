"""Asking the signs of a run what is wrong with a model, in the names of the causes."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from traindx.causes import non_finite_inputs
from traindx.curves.failure import first_nonfinite
from traindx.facts import NONFINITE_SOURCE
from traindx.finding import NON_FINITE, Finding, Severity, Sign, problem
from traindx.quantities import INPUT_NONFINITE_SHARE, NONFINITE_SHARE
from traindx.run import Run

_SURE = 0.55
"""Strength below which a finding counts one degree less, a warning not at all: it may be harmless."""
_TODO = {
    "input": "Find the samples that hold them, and drop or fill them before they reach the model",
    "parameter": "Take an earlier checkpoint; traindx run names the step, layer and batch where it began",
    "gradient": "Keep what the derivative divides by away from zero, such as sqrt(x + 1e-8)",
    "loss": "Use the form of the loss function that takes raw scores",
    "": "Look at what enters the first layer that is named: its weights and inputs tell which is too large",
}
"""What to do, by what brought in the first value that is not finite."""
_BEYOND_DOUBT = 0.95
"""Strength from which on a warning is counted as serious: a hundred times the limit."""


@dataclass(frozen=True, eq=False)
class Question:
    """A sign, and the cause it speaks for when one batch shows it."""

    sign: Sign
    cause: str
    severity: Severity | None = None
    """Where it means more or less to an exam than to a training."""
    least: float = 0.0
    """Strength that it takes for a yes of one batch to count."""
    grows: bool = False
    """Whether it is serious where it is far beyond its limit."""
    says: Callable[[Run, Finding], str] = lambda _, finding: finding.says
    layers: Callable[[Run, Finding], tuple[str, ...]] = lambda _, finding: tuple(
        dict.fromkeys(one.layer for one in finding.evidence if one.layer)
    )


def asked(run: Run, questions: Iterable[Question]) -> list[Finding]:
    """A problem for every question whose answer is yes."""
    found = []
    for one in questions:
        answer = one.sign(run)
        if isinstance(answer, Finding) and answer.strength >= one.least:
            severity = one.severity or one.sign.severity
            if answer.strength < _SURE:
                severity = list(Severity)[max(severity.rank - 1, 0)]
            elif answer.strength >= _BEYOND_DOUBT and one.grows:
                severity = max(severity, Severity.SERIOUS, key=lambda each: each.rank)
            if severity is not Severity.INFO:
                found.append(problem(one.cause, severity, one.says(run, answer), one.layers(run, answer)))
    return found


def cleared(run: Run, questions: Iterable[Question], problems: Iterable[Finding]) -> tuple[str, ...]:
    """The causes that were looked for and not found: the answer is no, not that nobody knows."""
    accused = {one.cause for one in problems}
    denied = [one.cause for one in questions if one.cause not in accused and one.sign(run) is None]
    return tuple(dict.fromkeys(denied))


def joined(problems: Iterable[Finding]) -> list[Finding]:
    """One problem for each cause: what several questions say of it weighs more than what each does."""
    by_cause: dict[str, list[Finding]] = {}
    for one in problems:
        by_cause.setdefault(one.cause, []).append(one)
    found = []
    for cause, some in by_cause.items():
        worst = max(some, key=lambda one: one.degree.rank).degree
        severity = Severity.SERIOUS if len(some) > 1 and worst is Severity.WARNING else worst
        layers = tuple(dict.fromkeys(layer for one in some for layer in one.layers))
        todo = next((one.todo for one in some if one.todo), "")
        found.append(problem(cause, severity, "; ".join(one.says for one in some), layers, todo))
    return found


def nonfinite_in(run: Run) -> list[Finding]:
    """Where a NaN or an infinity comes from, if there is one: once, for all that follow from it."""
    inputs = [one for one in run.all(INPUT_NONFINITE_SHARE) if one.values.max() > 0]
    if inputs:
        share = float(inputs[0].values.max())
        says = f"{share:.2%} of the input values are NaN or infinite"
        return [problem(non_finite_inputs.CAUSE.slug, Severity.CRITICAL, says, todo=_TODO["input"])]
    event = first_nonfinite(run)
    if event is not None:
        source = str(run.facts.get(NONFINITE_SOURCE, ""))
        cause = non_finite_inputs.CAUSE.slug if source == "input" else NON_FINITE
        layers = (event.layer,) if event.layer else ()
        return [problem(cause, Severity.CRITICAL, event.says, layers, _TODO.get(source, _TODO[""]))]
    broken = [one for one in run.all(NONFINITE_SHARE) if one.layer and one.values.max() > 0]
    if not broken:
        return []
    first = broken[0]
    what = "gradient" if first.part == "gradient" else "outputs"
    share = float(first.values.max())
    says = f"{first.layer}: {_percent(share)} of its {what} are NaN or infinite"
    if len(broken) > 1:
        says += f", and of {len(broken) - 1} more after it"
    return [problem(NON_FINITE, Severity.CRITICAL, says, tuple(one.layer for one in broken), _TODO[""])]


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 or not math.isfinite(share) else f"{share:.2g} (share)"
