"""A learning rate that was looked for, as JSON."""

import json

from traindx.exams.learning_rate.types import Course, FoundRate, RateTrial
from traindx.report.documents.exam import exam_document
from traindx.report.documents.value import Document, Json, head, number, optional
from traindx.report.results.learning_rate import verdict


def rate_document(
    found: FoundRate,
    *,
    command: str,
    seconds: float,
    change: str = "",
    patch: str = "",
    folder: str = "",
) -> str:
    """All of it as indented JSON; numbers that are not finite are strings, as in the report."""
    document: Document = {
        **head("lr"),
        **exam_document(found),
        "command": command,
        "says": verdict(found),
        "why": found.why,
        "current": number(found.current),
        "suggested": optional(found.suggested),
        "usable": None if found.usable is None else [number(rate) for rate in found.usable],
        "diverges": optional(found.diverges),
        "begins": number(found.begins),
        "measure": found.measure,
        "trials": [_trial(found, one) for one in found.trials],
        "range_test": _course(found.curve),
        "steps": found.steps,
        "seconds": number(round(seconds, 1)),
        "change": change or None,
        "patch": patch or None,
        "folder": folder or None,
        "notes": list(found.notes),
    }
    # Letters beyond ASCII are written as numbers: a terminal obeys some of them.
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _trial(found: FoundRate, one: RateTrial) -> Json:
    return {
        "rate": number(one.rate),
        "loss": number(one.loss),
        "fall": optional(found.share(one)),
        "ran_away": one.ran_away,
        "broke": one.course.broke,
        "losses": [number(loss) for loss in one.course.losses],
    }


def _course(course: Course) -> Json:
    return {
        "rates": [number(rate) for rate in course.rates],
        "losses": [number(loss) for loss in course.losses],
    }
