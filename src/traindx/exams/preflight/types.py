"""A rehearsal before the long run: what was tried, the list of what was checked, and checks made of signs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import ClassVar

import numpy as np

from traindx.curves.series import looked
from traindx.exams.learning_rate.types import Course
from traindx.exams.questions import Check, Checked, Outcome, is_bad, unseen, verdict
from traindx.finding import CannotTell, Finding, Mark, Severity, Sign
from traindx.format import Displayed, count
from traindx.quantities import TRAIN_LOSS
from traindx.run import Fact, Quantity, Run, Series


class Part(StrEnum):
    """What a check is about; a list goes through them in this order."""

    PROGRAM = "program"
    DATA = "data"
    LOSS = "loss"
    MODEL = "model"
    STEPS = "steps"
    LEARNING = "learning"
    COST = "cost"


@dataclass(frozen=True)
class Length:
    """How long the whole run is to be, as far as the program says."""

    steps: int | None = None
    """Optimizer steps in all."""
    epochs: int | None = None
    epoch_steps: int | None = None
    says: str = ""
    """Where that is known from."""


@dataclass(frozen=True)
class Repeated:
    """The program with the same batch at every step, and without dropout."""

    run: Run
    says: str
    """How the batch was held."""
    crash: str = ""


@dataclass(frozen=True)
class Modes:
    """What the model makes of one batch in train mode and in eval mode, dropout off in both."""

    differs: float
    """Between the modes, over how much outputs differ from sample to sample."""
    random_in_train: float
    """The same between two calls in train mode."""
    random_in_eval: float
    dropped_in_eval: int
    """Dropouts that are active in eval mode."""
    norms: int
    """Layers that normalize by running averages in eval mode."""


@dataclass(frozen=True)
class Ramp:
    """A rate that rises over many decades: the rates and losses of its steps."""

    own: float
    course: Course
    steps: int
    """How many it was to take."""


@dataclass(frozen=True)
class Rehearsal:
    """All that was tried before the long run; what could not be tried says why not."""

    run: Run
    """The first steps of the program as it is."""
    steps: int
    """How many it took."""
    crash: str = ""
    """The last line of a program that stopped with an error of its own."""
    length: Length = Length()
    repeated: Repeated | str = "not run"
    modes: Modes | str = "not run"
    ramp: Ramp | str = "not run"
    memory: int | None = None
    """Bytes of the machine."""


@dataclass(frozen=True, repr=False)
class Checklist(Displayed):
    """What a rehearsal came to."""

    exam: ClassVar[str] = "preflight"
    cleared: ClassVar[tuple[str, ...]] = ()
    title: str
    """What was run, for a person: the script."""
    command: str
    checked: tuple[Checked, ...]
    steps: int
    """Optimizer steps that were taken, over all runs of the program."""
    seconds: float
    folder: str
    notes: tuple[str, ...] = field(default=())
    run: Run | None = field(default=None, compare=False, repr=False)
    """The first steps of the program as it is."""

    def having(self, mark: Mark) -> tuple[Checked, ...]:
        """The checks that came out so."""
        return tuple(checked for checked in self.checked if checked.mark is mark)

    @property
    def mark(self) -> Mark:
        """The worst of all checks."""
        return verdict(self.checked)

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What points to a cause and is worth a warning."""
        findings = [finding for checked in self.checked for finding in checked.findings]
        return tuple(finding for finding in findings if finding.cause and is_bad(finding))

    @property
    def says(self) -> str:
        """The verdict as one sentence."""
        names = {mark: [checked.check.slug for checked in self.having(mark)] for mark in Mark}
        if names[Mark.FAIL]:
            failed = f"{len(names[Mark.FAIL])} of {count(len(self.checked), 'check')} failed"
            return f"{failed} ({', '.join(names[Mark.FAIL])})"
        if names[Mark.WARN]:
            return f"{count(len(names[Mark.WARN]), 'warning')} ({', '.join(names[Mark.WARN])})"
        if not names[Mark.PASS]:
            return "no check could run"
        return count(len(names[Mark.PASS]), "check passed", "checks passed")


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
    findings, any_told = asked(rehearsal.run, signs)
    if findings:
        return Outcome(findings=findings)
    looked_at = any_told and (needs is None or needs in rehearsal.run.facts)
    return Outcome(passes(rehearsal)) if looked_at else unseen(unknown)


def asked(run: Run, signs: Iterable[Sign]) -> tuple[tuple[Finding, ...], bool]:
    """What signs find in a run, and whether any of them could tell at all."""
    findings, any_told = [], False
    for sign in signs:
        # Values near the largest float overflow in differences: infinity compares as it should.
        with np.errstate(all="ignore"):
            answer = sign(run)
        any_told |= not isinstance(answer, CannotTell)
        if isinstance(answer, Finding) and answer.strength >= _FAINT:
            findings.append(replace(answer, severity=_severity(sign, answer), sign=sign.slug))
    return tuple(findings), any_told


def _severity(sign: Sign, finding: Finding) -> Severity:
    """Serious where the sign is and the finding is clear, else a warning."""
    is_serious = sign.severity.rank >= Severity.SERIOUS.rank and finding.strength >= _CLEAR
    return Severity.SERIOUS if is_serious else Severity.WARNING


def prolonged(rehearsal: Rehearsal) -> Run | None:
    """The run as if it went on to its end as it began, for signs that reckon with its length."""
    run, steps = rehearsal.run, rehearsal.length.steps
    if steps is None or TRAIN_LOSS not in run:
        return None

    def to_the_end(series: Series) -> Series:
        if series.quantity != TRAIN_LOSS or not len(series) or series.steps[-1] >= steps:
            return series
        return replace(
            series,
            steps=np.append(series.steps, float(steps)),
            values=np.append(series.values, series.values[-1]),
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
