"""Checks by signs: questions that may be asked of the first steps of a run, and what an answer is worth."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from traindx.curves.series import looked
from traindx.exams.preflight.types import Part, Rehearsal
from traindx.exams.questions import Check, Outcome, unseen
from traindx.finding import CannotTell, Finding, Severity, Sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import Fact, Quantity, Run, Series

_CLEAR = 0.5
"""The strength from which on a serious finding is a fail; as in verdict.py, what is less only warns."""
_FAINT = 0.3
"""What signs give at their limit; below it they doubt by themselves, as for optimizers that do not mind."""

Says = Callable[[Rehearsal], str]


def by_signs(
    slug: str,
    title: str,
    order: int,
    part: Part,
    signs: tuple[Sign, ...],
    *,
    unknown: str,
    needs: Fact | None = None,
    yields: bool = False,
) -> Callable[[Says], Check]:
    """Make a check of signs: serious ones that are clear fail, all others warn.

    The function is the sentence where none finds anything, `unknown` the one where none could tell, or where
    what they look at, the fact that it `needs`, is not known.
    """

    def declare(passes: Says) -> Check:
        ask = partial(signs_asked, signs=signs, passes=passes, unknown=unknown, needs=needs)
        return Check(slug, title, ask, order, part, yields=yields)

    return declare


def signs_asked(
    rehearsal: Rehearsal, signs: Iterable[Sign], passes: Says, unknown: str, needs: Fact | None = None
) -> Outcome:
    """What signs find; the sentence of a pass where they find nothing and could tell."""
    found, any_told = asked(rehearsal.run, signs)
    if found:
        return Outcome(findings=found)
    looked_at = any_told and (needs is None or needs in rehearsal.run.facts)
    return Outcome(passes(rehearsal)) if looked_at else unseen(unknown)


def asked(run: Run, signs: Iterable[Sign]) -> tuple[tuple[Finding, ...], bool]:
    """What signs find in a run, and whether any of them could tell at all."""
    found, any_told = [], False
    for sign in signs:
        # Values near the largest float overflow in differences: infinity compares as it should.
        with np.errstate(all="ignore"):
            answer = sign(run)
        any_told |= not isinstance(answer, CannotTell)
        if isinstance(answer, Finding) and answer.strength >= _FAINT:
            found.append(replace(answer, severity=_severity(sign, answer), sign=sign.slug))
    return tuple(found), any_told


def _severity(sign: Sign, finding: Finding) -> Severity:
    """Serious where the sign is and the finding is clear, else a warning."""
    is_serious = sign.severity.rank >= Severity.SERIOUS.rank and finding.strength >= _CLEAR
    return Severity.SERIOUS if is_serious else Severity.WARNING


def prolonged(rehearsal: Rehearsal) -> Run | None:
    """The run as if it went on to its end as it began, for signs that reckon with its length."""
    run, steps = rehearsal.run, rehearsal.length.steps
    if steps is None or TRAIN_LOSS not in run:
        return None

    def to_the_end(one: Series) -> Series:
        if one.quantity != TRAIN_LOSS or not len(one) or one.steps[-1] >= steps:
            return one
        return replace(
            one, steps=np.append(one.steps, float(steps)), values=np.append(one.values, one.values[-1])
        )

    return replace(run, series=tuple(map(to_the_end, run.series)))


def typical(run: Run, quantity: Quantity, part: str = "") -> float | None:
    """The median of what was recorded of batches; None where nothing finite was."""
    series = looked(run, quantity, part)
    return None if series is None else float(np.median(series.values))


def looks(run: Run, quantity: Quantity) -> int:
    """How often a quantity of batches was looked at."""
    series = looked(run, quantity)
    return 0 if series is None else len(series)
