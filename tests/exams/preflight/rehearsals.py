"""Rehearsals of small real trainings, in this process."""

from pathlib import Path

from tests.changes.changing import changed
from tests.trainings import Training, recorded
from traindx.exams.preflight.run import checked, checks
from traindx.exams.preflight.types import Length, Rehearsal, Repeated
from traindx.exams.questions import Checked
from traindx.trials.measurement import steps_of

CHECKS = {check.slug: check for check in checks()}


def rehearsal_of(training: Training, **others: object) -> Rehearsal:
    """The first steps of a training, as they are."""
    run = recorded(training)
    return Rehearsal(**{"run": run, "steps": steps_of(run), "length": Length(600, 60, 10), **others})  # type: ignore[arg-type]


def repeated(training: Training, folder: Path) -> Repeated:
    """The same training with one batch again and again."""
    recorded.cache_clear()
    with changed(folder, "batches.repeat"):
        run = recorded(training)
    recorded.cache_clear()
    return Repeated(run, "held")


def ask(slug: str, rehearsal: Rehearsal) -> Checked:
    """What a check finds."""
    return checked(CHECKS[slug], rehearsal)
