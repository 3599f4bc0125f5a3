"""When a report makes a command end with exit code 1 (--fail-on), and what the report rests on."""

import difflib
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from traindx.curves.facts import pace
from traindx.diagnosis import knowledge
from traindx.diagnosis.types import Diagnosis, Suspect, Verdict
from traindx.errors import SettingsError, UnknownNameError, UnreadableError
from traindx.format import listed, number, percent, printable, step
from traindx.readers.loading.files import STANDARD_INPUT
from traindx.report.results.evidence import culprit
from traindx.run import Run
from traindx.trials.types import Report

_VERDICTS = (Verdict.SICK.value, Verdict.INCONCLUSIVE.value)


@dataclass(frozen=True)
class Met:
    """A condition that holds of a run."""

    step: str
    condition: str
    """As it was typed: "--fail-on sick:0.9"."""
    sureness: str

    @property
    def now(self) -> str:
        """What is said when the program is about to be stopped."""
        return f"{self.condition} is met ({self.sureness}); stopping the program"

    @property
    def afterward(self) -> str:
        """What is said when it has ended."""
        return f"stopped at step {self.step}: {self.condition} was met ({self.sureness})"


def reached(run: Run) -> str:
    """The step that a recorded training has come to."""
    recorded = pace(run)
    return step(recorded.steps if recorded else 0.0)


@dataclass(frozen=True)
class Condition:
    """A verdict or a cause, and how sure it must be."""

    name: str
    """"sick", "inconclusive" or the slug of a cause."""
    confidence: float | None = None
    """None: it must be what the diagnosis settles on."""

    def __str__(self) -> str:
        """As it is typed."""
        return self.name if self.confidence is None else f"{self.name}:{self.confidence:g}"

    def met_by(self, report: Report) -> str:
        """The runs that meet it, as a sentence; empty if none does."""
        met = [d for d in report.diagnoses if self._is_met(d)]
        return f"--fail-on {self} is met by {listed([self._called(d) for d in met], 3)}" if met else ""

    def stops(self, run: Run, diagnosis: Diagnosis) -> Met | None:
        """Why a training that still runs is to be stopped; None where it is not.

        A run that is too short to tell may become anything: only a sick one is stopped.
        """
        if diagnosis.verdict is not Verdict.SICK or not self._is_met(diagnosis):
            return None
        return Met(reached(run), f"--fail-on {self}", percent(self._sureness(diagnosis)))

    def _called(self, diagnosis: Diagnosis) -> str:
        name = printable(diagnosis.run)
        # A diagnosis is not more or less sure that it cannot tell.
        unsure = self.name == Verdict.INCONCLUSIVE.value
        return name if unsure else f"{name} ({percent(self._sureness(diagnosis))})"

    def _is_met(self, diagnosis: Diagnosis) -> bool:
        if self.name in _VERDICTS:
            sure = self._sureness(diagnosis) >= (self.confidence or 0)
            return diagnosis.verdict.value == self.name and sure
        if self.confidence is not None:
            return self._sureness(diagnosis) >= self.confidence
        first = culprit(diagnosis)
        return first is not None and self.name in _causes(first)

    def _sureness(self, diagnosis: Diagnosis) -> float:
        """How sure the diagnosis is that the condition holds."""
        if self.name in _VERDICTS:
            return diagnosis.confidence
        # A mechanism is as likely as the roots it is seen with, taken together.
        return sum(suspect.confidence for suspect in diagnosis.suspects if self.name in _causes(suspect))


def conditions_from(texts: Iterable[str]) -> list[Condition]:
    """The conditions as typed, such as sick, inconclusive, lr-too-high or lr-too-high:0.8."""
    return [_condition(text) for text in texts]


def stopping(conditions: Iterable[Condition], report: Report) -> dict[tuple[str, str], Met]:
    """The conditions that stop a training of a report, by the training and the condition."""
    pairs = list(zip(report.runs, report.diagnoses, strict=True))
    return {
        (run.name, str(condition)): met
        for condition in conditions
        for run, diagnosis in pairs
        if (met := condition.stops(run, diagnosis)) is not None
    }


def _condition(text: str) -> Condition:
    name, colon, share = text.partition(":")
    known = [*_VERDICTS, *(cause.slug for cause in knowledge.causes())]
    if name not in known:
        todo = f"use {', '.join(_VERDICTS)}, or a cause from traindx causes"
        raise UnknownNameError("condition or cause", name, known, todo=todo)
    if not colon:
        return Condition(name)
    if name == Verdict.INCONCLUSIVE.value:
        raise SettingsError(f"--fail-on {text}: inconclusive takes no confidence; write --fail-on {name}")
    confidence = _share(share)
    if confidence is None:
        raise SettingsError(
            f"--fail-on {text}: confidence must be between 0 and 1; for example --fail-on {name}:0.8"
        )
    return Condition(name, confidence)


def _share(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1 else None


def _causes(suspect: Suspect) -> tuple[str, ...]:
    """The slugs a suspect goes by: its root, and its mechanism where one was seen."""
    if suspect.mechanism is None:
        return (suspect.cause.slug,)
    return suspect.cause.slug, suspect.mechanism.slug


_MOST = 5


def unread(paths: Iterable[str], report: Report) -> list[UnreadableError]:
    """The problems of those named paths from which nothing at all was read."""
    sources = [source for run in report.runs if run.series for source in run.sources]
    errors = []
    for path in dict.fromkeys(paths):
        problem = next((error for error in report.problems if _is_below(error.where, path)), None)
        if problem is not None and not any(_is_below(source, path) for source in sources):
            errors.append(problem)
    return errors


def _is_below(location: str, path: str) -> bool:
    """Whether a place is a path or lies in it."""
    if path == STANDARD_INPUT:
        return location in (STANDARD_INPUT, "standard input")
    inner, outer = os.path.abspath(location), os.path.abspath(path)
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
    yield from (skipped.name for skipped in run.unread)


def _nowhere(name: str, held: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, held, n=1, cutoff=0.5)
    todo = f"did you mean {printable(near[0])}?" if near else "traindx inspect shows the names they hold"
    return f'--map: no value in the logs is called "{printable(name)}"; {todo}'


def changed_limits(report: Report) -> list[str]:
    """The limits that are not the usual ones, as they were when the runs were judged."""
    usual = {(sign.slug, limit.name): limit.value for sign in knowledge.signs() for limit in sign.limits}
    asked = report.diagnoses[0].asked if report.diagnoses else ()
    changed = [
        f"{result.sign.slug}.{limit.name} is {number(limit.value)} (default: {number(usual[key])})"
        for result in asked
        for limit in result.sign.limits
        if limit.value != usual.get(key := (result.sign.slug, limit.name), limit.value)
    ]
    more = len(changed) - _MOST
    return [*changed[:_MOST], *([f"and {more} more"] if more > 0 else [])]
