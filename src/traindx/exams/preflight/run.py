"""Before the long run: a program runs for a few steps, and what they show is checked."""

import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from traindx.catalogue import units
from traindx.causes import lr_too_high, lr_too_low
from traindx.diagnosis import knowledge
from traindx.errors import TraindxError
from traindx.exams.preflight import checks as shelf
from traindx.exams.preflight.checks import one_batch
from traindx.exams.preflight.checks.steps import loop
from traindx.exams.preflight.short_run import STEPS, Rehearsing
from traindx.exams.preflight.types import Checklist, Part, Rehearsal
from traindx.exams.questions import Check, Checked, Outcome, is_bad, unseen, worst_first
from traindx.finding import Finding, Mark, Severity
from traindx.trials.runner import ShortRuns
from traindx.trials.types import Progress

_LIKELY = 0.5
"""Of the points that a sign gives to the cause it speaks for most: a cause with so many is named as well."""
_MOST = 2
_FEW_STEPS = 30
"""Of one short run: enough to look at data, loss and model."""
_FEW_SECONDS = 60.0
_WITHOUT_RATE = (Part.DATA, Part.LOSS, Part.MODEL)
"""Parts whose checks do not depend on the learning rate."""


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
    """Run a program for a few steps, and check what they show before the long run.

    The program is a script or the words of a command; it runs in copies of the working directory, or in the
    directory itself with `in_place`, for about `seconds` each time, startup excluded. `quick` skips the
    range test. `say` receives progress messages.
    """
    for option, value in (("steps", steps), ("seconds", seconds)):
        if not value > 0:
            raise TraindxError(f"--{option} must be greater than 0, got {value}")
    words = [str(command)] if isinstance(command, str | Path) else list(command)
    runs = ShortRuns.of(words, out, name, in_place=in_place)
    rehearsing = Rehearsing(runs, seconds, say or (lambda _: None))
    return _checklist(rehearsing, rehearsing.rehearsed(steps, ranges=not quick))


def first_checks(
    words: Sequence[str], *, out: Path | str, name: str | None, say: Progress, in_place: bool
) -> Checklist:
    """Check what one short run of a program as it is shows; checks that need further runs are not run."""
    rehearsing = Rehearsing(ShortRuns.of(words, out, name, in_place=in_place), _FEW_SECONDS, say)
    return _checklist(rehearsing, rehearsing.begun(_FEW_STEPS))


def _checklist(rehearsing: Rehearsing, rehearsal: Rehearsal) -> Checklist:
    runs = rehearsing.runs
    return Checklist(
        title=runs.command.title,
        command=shlex.join(runs.command.words),
        checked=all_checked(rehearsal),
        steps=rehearsing.taken,
        seconds=time.monotonic() - rehearsing.began,
        folder=str(runs.folder),
        notes=runs.notes,
        run=rehearsal.run,
    )


def bugs_at_any_rate(found: Checklist) -> tuple[Finding, ...]:
    """Failures that no learning rate causes or fixes: of data, loss, model or the training loop."""
    by_rate = {lr_too_high.CAUSE.slug, lr_too_low.CAUSE.slug}
    certain = [
        result
        for result in found.checked
        if (Part(result.check.part) in _WITHOUT_RATE or result.check is loop) and not result.check.yields
    ]
    failed = [each for result in certain for each in result.findings if each.mark is Mark.FAIL and each.cause]
    return worst_first(each for each in failed if not by_rate & set(each.causes))


@cache
def checks() -> tuple[Check, ...]:
    """Every check there is, in the order of their parts."""
    parts = list(Part)
    return tuple(sorted(units(shelf, Check), key=lambda unit: (parts.index(Part(unit.part)), unit.order)))


def all_checked(rehearsal: Rehearsal) -> tuple[Checked, ...]:
    """What all checks find."""
    results = [checked(check, rehearsal) for check in checks()]
    by_heart = next(result for result in results if result.check is one_batch.one_batch)
    return tuple(_yielding(result) if by_heart.mark is Mark.PASS else result for result in results)


def _yielding(result: Checked) -> Checked:
    """A check whose fail is a warning, because one batch is learned by heart all the same."""
    if not result.check.yields or result.mark is not Mark.FAIL:
        return result
    milder = [
        replace(each, severity=Severity.WARNING, says=f"{each.says}; still, the program learns one batch")
        if each.mark is Mark.FAIL
        else each
        for each in result.findings
    ]
    return replace(result, outcome=replace(result.outcome, findings=tuple(milder)))


def checked(check: Check, rehearsal: Rehearsal) -> Checked:
    """What a check finds, the worst first, with the causes that its signs speak for."""
    outcome: Outcome = check.ask(rehearsal)
    if not rehearsal.steps and not any(map(is_bad, outcome.findings)):
        # Nothing is wrong with what was not seen, and nothing is right with it.
        outcome = unseen("no optimizer step")
    return Checked(check, replace(outcome, findings=tuple(map(_pointing, worst_first(outcome.findings)))))


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
