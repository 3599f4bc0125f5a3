"""Before the long run: a program is rehearsed for a few steps, and what can be seen by then is checked."""

import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from traindx.catalogue import units
from traindx.diagnosis import knowledge
from traindx.errors import TraindxError
from traindx.exams.preflight import checks as shelf
from traindx.exams.preflight.checks import one_batch
from traindx.exams.preflight.rehearsal import STEPS, Rehearsing
from traindx.exams.preflight.types import Checklist, Part, Rehearsal
from traindx.exams.questions import Check, Checked, Outcome, is_bad, unseen, worst_first
from traindx.finding import Finding, Mark, Severity
from traindx.trials.runner import ShortRuns
from traindx.trials.types import Progress

_LIKELY = 0.5
"""Of the points that a sign gives to the cause it speaks for most: a cause with so many is named as well."""
_MOST = 2


def preflight(
    command: str | Path | Sequence[str],
    *,
    steps: int = STEPS,
    seconds: float = 20.0,
    quick: bool = False,
    out: Path | str = ".traindx/preflights",
    name: str | None = None,
    say: Progress | None = None,
    in_place: bool = False,
) -> Checklist:
    """Rehearse a program for a few steps, and check what can be seen before the long run.

    The program is a script or the words of a command; it runs in copies of the working directory, or in
    itself with `in_place`, for at most about `seconds` each time, its start aside. `quick` leaves out the
    range test. `say` is told what goes on.
    """
    for option, value in (("steps", steps), ("seconds", seconds)):
        if not value > 0:
            raise TraindxError(f"--{option} {value}: is no number above 0")
    began = time.monotonic()
    words = [str(command)] if isinstance(command, str | Path) else list(command)
    runs = ShortRuns.of(words, out, name, in_place=in_place)
    rehearsing = Rehearsing(runs, seconds, say or (lambda _: None))
    rehearsal = rehearsing.rehearsed(steps, ranges=not quick)
    return Checklist(
        title=runs.command.title,
        command=shlex.join(runs.command.words),
        checked=all_checked(rehearsal),
        steps=rehearsing.taken,
        seconds=time.monotonic() - began,
        folder=str(runs.folder),
        notes=runs.notes,
    )


@cache
def checks() -> tuple[Check, ...]:
    """Every check there is, in the order of their parts."""
    parts = list(Part)
    return tuple(sorted(units(shelf, Check), key=lambda one: (parts.index(Part(one.part)), one.order)))


def all_checked(rehearsal: Rehearsal) -> tuple[Checked, ...]:
    """What all checks find."""
    found = [checked(one, rehearsal) for one in checks()]
    by_heart = next(one for one in found if one.check is one_batch.one_batch)
    return tuple(_yielding(one) if by_heart.mark is Mark.PASS else one for one in found)


def _yielding(one: Checked) -> Checked:
    """A check whose fail is a warning, because one batch is learnt by heart all the same."""
    if not one.check.yields or one.mark is not Mark.FAIL:
        return one
    milder = [
        replace(each, severity=Severity.WARNING, says=f"{each.says}; one batch is learnt all the same")
        if each.mark is Mark.FAIL
        else each
        for each in one.findings
    ]
    return replace(one, outcome=replace(one.outcome, findings=tuple(milder)))


def checked(check: Check, rehearsal: Rehearsal) -> Checked:
    """What a check finds, the worst first, with the causes that its signs speak for."""
    found: Outcome = check.ask(rehearsal)
    if not rehearsal.steps and not any(map(is_bad, found.findings)):
        # Nothing is wrong with what was not seen, and nothing is right with it.
        found = unseen("the program took no step")
    return Checked(check, replace(found, findings=tuple(map(_pointing, worst_first(found.findings)))))


def _pointing(finding: Finding) -> Finding:
    """A finding with the causes that its sign speaks for."""
    if finding.cause or not finding.sign:
        return finding
    cause, *also = _causes_of(finding.sign) or ("",)
    return replace(finding, cause=cause, also=tuple(also))


@cache
def _causes_of(sign: str) -> tuple[str, ...]:
    """The causes that a sign speaks for most, by the points it gives them."""
    points = {
        cause.slug: clue.seen
        for cause in knowledge.causes()
        for clue in cause.clues
        if clue.sign.slug == sign and clue.seen > 0
    }
    ranked = sorted(points, key=lambda slug: -points[slug])
    return tuple(slug for slug in ranked[:_MOST] if points[slug] >= _LIKELY * points[ranked[0]])
