"""What a report rests on: named paths that could not be read, unused names of --map, changed limits."""

import difflib
import os
from collections.abc import Iterable, Sequence

from traindx.diagnosis import knowledge
from traindx.errors import UnreadableError
from traindx.format import number, printable
from traindx.readers.loading.files import STANDARD_INPUT
from traindx.run import Run
from traindx.trials.types import Report

_MOST = 5


def unread(paths: Iterable[str], report: Report) -> list[UnreadableError]:
    """The problems of those named paths from which nothing at all was read."""
    sources = [source for run in report.runs if run.series for source in run.sources]
    found = []
    for path in dict.fromkeys(paths):
        problem = next((one for one in report.problems if _is_below(one.where, path)), None)
        if problem is not None and not any(_is_below(source, path) for source in sources):
            found.append(problem)
    return found


def _is_below(place: str, path: str) -> bool:
    """Whether a place is a path or lies in it."""
    if path == STANDARD_INPUT:
        return place in (STANDARD_INPUT, "standard input")
    inner, outer = os.path.abspath(place), os.path.abspath(path)
    return inner == outer or inner.startswith(os.path.join(outer, ""))


def unused(names: Iterable[str], runs: Sequence[Run]) -> list[str]:
    """A sentence for every name of --map that no log holds."""
    if not runs:
        return []
    held = list(dict.fromkeys(name for run in runs for name in _held(run)))
    return [_nowhere(name, held) for name in names if name not in held]


def _held(run: Run) -> Iterable[str]:
    """The names under which values stand in the logs of a run."""
    yield from (series.name for series in run.series)
    # What two logs of a run both hold is one series, under one of its names.
    yield from (series.name for segment in run.segments for series in segment.series)
    yield from (one.name for one in run.unread)


def _nowhere(name: str, held: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, held, n=1, cutoff=0.5)
    todo = f"did you mean {printable(near[0])}?" if near else "traindx inspect shows the names they hold"
    return f'--map: no value in the logs is called "{printable(name)}"; {todo}'


def changed_limits(report: Report) -> list[str]:
    """The limits that are not the usual ones, as they were when the runs were judged."""
    usual = {(sign.slug, limit.name): limit.value for sign in knowledge.signs() for limit in sign.limits}
    asked = report.diagnoses[0].asked if report.diagnoses else ()
    changed = [
        f"{one.sign.slug}.{limit.name} is {number(limit.value)} (default: {number(usual[key])})"
        for one in asked
        for limit in one.sign.limits
        if limit.value != usual.get(key := (one.sign.slug, limit.name), limit.value)
    ]
    more = len(changed) - _MOST
    return [*changed[:_MOST], *([f"and {more} more"] if more > 0 else [])]
