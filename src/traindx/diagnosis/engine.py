"""From a run to a diagnosis: ask every question, believe what the answers say, name suspects and verdict.

Nothing here knows anything about training: signs and causes do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from traindx.cause import Cause
from traindx.curves.facts import is_recording, location_of, seconds_for
from traindx.curves.limits import TINY
from traindx.curves.recognition import recognized
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH, health_points, of_log, temperature
from traindx.diagnosis.exam_evidence import is_inside, read_exam, with_exams
from traindx.diagnosis.score import is_seen_how, score
from traindx.diagnosis.types import (
    INSIDE,
    Diagnosis,
    Exam,
    NextExperiment,
    NotRecorded,
    Reason,
    SignResult,
    Suspect,
    Verdict,
    total,
)
from traindx.diagnosis.verdict import problem_of, sentence, shown_problems, verdict_of
from traindx.errors import PluginError, SettingsError, TraindxError
from traindx.finding import CannotTell, Severity, Sign
from traindx.format import count, listed
from traindx.objective import Problem
from traindx.quantities import REWARD
from traindx.readers.loading.runs import load
from traindx.run import Run

Limits = Mapping[str, Mapping[str, float]]
"""Other limits for signs: by the sign's slug, then by the limit's name."""

LISTED = 0.02
"""A suspect with a smaller share is ruled out."""
_CLOSE = 4.0
"""Suspects within this factor of the first are its rivals."""
_SETTLED = 0.8
"""Above this share no experiment is needed."""


def diagnose(
    what: Run | str | Path,
    causes: Sequence[Cause] | None = None,
    *,
    limits: Limits | None = None,
    exams: Sequence[Exam | str | Path] = (),
) -> Diagnosis:
    """The diagnosis of a run, or of the only run at a path.

    `exams` were held of the same training, its model or its data, and count as evidence: what
    `traindx.exams.gradients` and the others return, or the JSON files that the commands write.
    """
    run = what if isinstance(what, Run) else _only_run(what)
    asked = tuple(_ask(sign, run) for sign in _signs(limits or {}))
    from_exams, considered = with_exams(
        [read_exam(exam) if isinstance(exam, str | Path) else exam for exam in exams],
        run,
        asked,
        causes or knowledge.causes(),
    )
    asked += from_exams
    kind = recognized(run)
    considered = tuple(cause for cause in considered if cause.concerns(kind.objective))
    if is_recording(run):
        kind = replace(kind, objective=kind.objective.of_recording())
    scores = score(asked, considered, temperature(inside=is_recording(run)))
    problem = problem_of(asked)
    is_told = problem in kind.objective.telling
    believed = scores.without_cause if is_told else scores.shares[HEALTH]
    healthy = believed if is_recording(run) else of_log(believed, shown_problems(asked))
    # What health gains or loses against its share, all causes lose or gain alike.
    left = (1 - healthy) / max(1 - scores.shares[HEALTH], TINY)
    ranked = sorted(
        (
            _suspect(cause, scores.shares.get(cause.slug, 0.0) * left, lines, run)
            for cause, lines in scores.reasons.items()
        ),
        key=lambda suspect: (-suspect.confidence, -suspect.score),
    )
    listed = [suspect for suspect in ranked if suspect.confidence >= LISTED and _supported(suspect)]
    mechanisms = [cause for cause, lines in scores.reasons.items() if is_seen_how(cause, lines)]
    suspects = tuple(_with_mechanisms(listed, mechanisms))
    verdict = verdict_of(healthy, suspects, asked, kind.objective)
    if problem and is_told:
        suspects = tuple(suspect for suspect in suspects if _explains(suspect, problem))
    return Diagnosis(
        run=run.name,
        verdict=verdict,
        says=sentence(verdict, suspects, asked, kind.objective),
        healthy=healthy,
        problem=problem if verdict is Verdict.SICK else None,
        suspects=suspects,
        ruled_out=tuple(
            suspect for suspect in ranked if suspect.cause not in {listed.cause for listed in suspects}
        ),
        asked=asked,
        healthy_reasons=scores.healthy,
        not_recorded=_not_recorded(run, suspects, asked),
        next_experiment=_next_experiment(run, verdict, suspects),
        objective=kind,
        source=run,
    )


def _ask(sign: Sign, run: Run) -> SignResult:
    """One question; a sign that fails, such as a plugin's, is named and stops nothing else of the report."""
    try:
        # Values near the largest float overflow in differences: infinity compares as it should.
        with np.errstate(all="ignore"):
            return SignResult(sign, sign(run))
    except Exception as error:  # a sign of another package may fail in any way
        raise PluginError(
            f"check {sign.slug} failed on {run.name} ({error}); report this to its author"
        ) from error


def _only_run(path: str | Path) -> Run:
    runs = load(path)
    if len(runs) != 1:
        names = listed([run.name for run in runs], 3)
        raise TraindxError(f"{path}: found {count(len(runs), 'run')} ({names}); diagnose one at a time")
    return runs[0]


def _signs(limits: Limits) -> Iterable[Sign]:
    by_slug = {knowledge.sign_named(slug).slug: values for slug, values in limits.items()}
    for sign in knowledge.signs():
        try:
            yield sign.limited(by_slug[sign.slug]) if sign.slug in by_slug else sign
        except ValueError as error:
            raise SettingsError(str(error)) from error


def _suspect(cause: Cause, confidence: float, lines: tuple[Reason, ...], run: Run) -> Suspect:
    # A clear finding passes on its severity, a faint one a step less.
    harms = [
        line.sign.severity if line.points > 1 else _less(line.sign.severity)
        for line in lines
        if line.sign and line.seen and line.points > 0
    ]
    severity = max(harms, key=lambda harm: harm.rank, default=Severity.INFO)
    return Suspect(cause, confidence, total(lines), lines, severity, line=location_of(run, *cause.places))


def _less(severity: Severity) -> Severity:
    return list(Severity)[max(severity.rank - 1, 0)]


def _supported(suspect: Suspect) -> bool:
    """Whether anything that was seen speaks for it: a prior alone accuses nobody."""
    return any(reason.seen and reason.points > 0 for reason in suspect.reasons)


def _explains(suspect: Suspect, problem: Problem) -> bool:
    """Whether anything that was seen of a problem speaks for a suspect."""
    shown = (reason.sign for reason in suspect.reasons if reason.seen and reason.points > 0)
    return any(sign is not None and sign.problem is problem for sign in shown)


def _with_mechanisms(suspects: list[Suspect], causes: list[Cause]) -> Iterable[Suspect]:
    """Roots with the mechanism they act through, where that was seen."""
    mechanisms = {cause.slug: cause for cause in causes}
    for suspect in suspects:
        through = next((mechanisms[slug] for slug in suspect.cause.acts_through if slug in mechanisms), None)
        yield replace(suspect, mechanism=through)


def _not_recorded(
    run: Run, suspects: tuple[Suspect, ...], asked: tuple[SignResult, ...]
) -> tuple[NotRecorded, ...]:
    """The quantities that would have told more about the suspects, or about health."""
    answers = {result.sign.slug: result.answer for result in asked}
    signs = [
        (suspect.cause.slug, clue.sign)
        for suspect in suspects[:4]
        for clue in suspect.cause.clues
        if clue.seen >= 1
    ]
    signs += [("health", result.sign) for result in asked if health_points(result.sign) > 0]
    missing: dict[str, list[str]] = {}
    inside: dict[str, None] = {}
    for about, sign in signs:
        if answers.get(sign.slug) is not CannotTell.NOT_RECORDED:
            continue
        for need in sign.missing(run):
            first = need[0] if isinstance(need, tuple) else need
            # A reward would make it another kind of training, not a better recorded one.
            if first is REWARD:
                continue
            # What only a recording has is told once, and not at all of a recording, which would have it.
            if is_inside(first):
                inside |= {about: None}
            elif about not in missing.setdefault(first.slug, []):
                missing[first.slug].append(about)
    unrecorded = [NotRecorded(slug, ", ".join(about)) for slug, about in missing.items()]
    if inside and not is_recording(run):
        unrecorded.append(NotRecorded(INSIDE, ", ".join(inside)))
    return tuple(unrecorded)


def _next_experiment(run: Run, verdict: Verdict, suspects: tuple[Suspect, ...]) -> NextExperiment | None:
    """The cheapest test of a leading suspect, while none is settled."""
    if verdict is Verdict.HEALTHY or not suspects or suspects[0].confidence >= _SETTLED:
        return None
    close = [suspect for suspect in suspects if suspect.confidence * _CLOSE >= suspects[0].confidence]
    tested = min(close, key=lambda suspect: (suspect.cause.experiment.steps, -suspect.confidence))
    against = tuple(suspect.cause for suspect in close if suspect is not tested)
    experiment = tested.cause.experiment
    return NextExperiment(tested.cause, experiment, against, seconds_for(run, experiment.steps))
