"""Which changes are worth a trial, the most promising first, and what a trial suggests to try next."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from traindx.cause import Prescription, Symptom
from traindx.changes.types import (
    BY_VALIDATION,
    ChangeSpec,
    Measure,
    Refusal,
    change_of,
    kind_of,
    known_changes,
    label_of,
    parse_changes,
)
from traindx.diagnosis.types import Diagnosis, Suspect, Verdict
from traindx.facts import FRAMEWORK
from traindx.run import Run
from traindx.trials.effect import gain, gain_of, rank
from traindx.trials.measurement import can_measure, curve, end, start_of
from traindx.trials.types import PROMISING, Candidate, Pair, Trial

_LATER = 0.7
"""What each fix of a cause is worth against the one before it: the first is the best."""
_LEAST = 0.01
"""Worth below which nothing is tried."""
_FAIR = 0.15
"""Worth from which on a change is tried although the run is taken for healthy: somebody asked for it."""
_LEARNED = 0.01
"""Of where a training loss began: below it there is nothing left to gain."""
_PRECEDENCE = (Measure.BALANCED_ERROR, Measure.VALIDATION_ERROR, Measure.VALIDATION_LOSS)
"""What changes that are tried together are compared by, if they are compared by different things."""

Past = Mapping[str, tuple[int, int]]
"""How often a change was tried on this project, and how often it helped."""


def candidates(diagnosis: Diagnosis, run: Run, past: Past) -> list[Candidate]:
    """All changes that the suspects ask for, by their worth; each change once."""
    by_changes: dict[tuple[ChangeSpec, ...], Candidate] = {}
    for suspect in diagnosis.suspects:
        for index, (fix, changes) in enumerate(_with_off(_machine_applied(suspect, run), run)):
            worth = suspect.confidence * _LATER**index
            if changes in by_changes:
                known = by_changes[changes]
                sure = min(1.0, known.confidence + suspect.confidence * (suspect.cause.slug != known.cause))
                by_changes[changes] = replace(known, worth=known.worth + worth, confidence=sure)
                continue
            measure = measured_by(suspect.cause.symptoms, changes, run)
            title = fix.title if changes == parse_changes(fix.change or "") else label_of(changes)
            sure = suspect.confidence
            by_changes[changes] = Candidate(
                changes, suspect.cause.slug, title, measure, worth, confidence=sure
            )
    chosen = [_informed(candidate, past) for candidate in by_changes.values()]
    return sorted(
        (candidate for candidate in chosen if candidate.worth >= _LEAST),
        key=lambda candidate: -candidate.worth,
    )


def is_worth_trying(diagnosis: Diagnosis, plan: Sequence[Candidate]) -> bool:
    """Whether anything is tried: on a run that is taken for healthy only what has a fair chance."""
    least = _FAIR if diagnosis.verdict is Verdict.HEALTHY else 0.0
    return bool(plan) and plan[0].worth >= least


def is_tried(suspect: Suspect, run: Run) -> bool:
    """Whether a treatment can try a fix of a suspect."""
    is_keras = run.facts.get(FRAMEWORK) == "keras"
    return any(
        not (is_keras and any(isinstance(change_of(spec).keras, Refusal) for spec in changes))
        for _, changes in _with_off(_machine_applied(suspect, run), run)
    )


def _machine_applied(suspect: Suspect, run: Run) -> Iterable[Prescription]:
    """The fixes of a cause and its mechanism that suit the run, if a machine can apply them."""
    for cause in (suspect.cause, suspect.mechanism):
        if cause is not None:
            yield from (fix for fix in cause.fixes if fix.change and fix.suits(run))


def _with_off(
    fixes: Iterable[Prescription], run: Run
) -> Iterator[tuple[Prescription, tuple[ChangeSpec, ...]]]:
    """Fixes with their changes; behind one that weakens something, the same with it switched off."""
    for fix in fixes:
        changes = prescribed(fix.change or "", run)
        if not changes or any(change_of(spec).is_idle(spec, run) for spec in changes):
            continue
        yield fix, changes
        doses = change_of(changes[0]).doses
        if len(changes) == 1 and doses and doses.off and doses.off.is_neared(changes[0], run):
            yield fix, (ChangeSpec(changes[0].name, doses.off.words),)


def _informed(candidate: Candidate, past: Past) -> Candidate:
    """Worth more where it helped on this project before, and less where it did not."""
    tried, helped = past.get(kind_of(candidate.changes), (0, 0))
    if not tried:
        return candidate
    # As if it had been tried twice more, with one success.
    factor = 2 * (helped + 1) / (tried + 2)
    return replace(
        candidate,
        worth=candidate.worth * factor,
        because=f"helped in {helped} of {tried} past trials of this project",
    )


def resolved_together(specs: Iterable[ChangeSpec], run: Run) -> tuple[ChangeSpec, ...] | None:
    """Changes that belong together with the numbers that come from the recording; None where one has none."""
    change_specs = [resolved(spec, run) for spec in specs]
    return None if None in change_specs else tuple(spec for spec in change_specs if spec is not None)


def resolved(spec: ChangeSpec, run: Run) -> ChangeSpec | None:
    """A change with the numbers that come from the recording; None where they are not there."""
    change = change_of(spec)
    if change.from_run is None or not change.needs_recording(spec):
        return spec
    return change.from_run(spec, run)


def prescribed(text: str, run: Run) -> tuple[ChangeSpec, ...] | None:
    """The changes of a fix as this run needs them; None where the recording lacks their numbers."""
    specs = parse_changes(text)
    if len(specs) == 1 and (first := change_of(specs[0]).first_dose) is not None:
        specs = (first(specs[0], run),)
    return resolved_together(specs, run)


def measured_by(symptoms: Iterable[Symptom], specs: Sequence[ChangeSpec], run: Run) -> Measure:
    """What arms are compared by: what the prescription promises, as far as the run shows it."""
    among = set(symptoms)
    measures = [change.compared_by for change in map(change_of, specs) if change.compared_by]
    if Symptom.TAKES_LONG in among and (Measure.SPEED,) in measures:
        return Measure.SPEED
    # Of several changes the one counts after which the loss says least, and that tells most measures.
    measures = [measure for measure in measures if measure[0] in _PRECEDENCE]
    wishes = min(measures, key=lambda measure: (_PRECEDENCE.index(measure[0]), -len(measure)), default=())
    if not wishes and Symptom.GENERALIZES_BADLY in among:
        wishes = BY_VALIDATION
    elif not wishes and _is_learned(run):
        wishes = (Measure.VALIDATION_ERROR, Measure.VALIDATION_LOSS)
    return next((wish for wish in wishes if can_measure(run, wish)), Measure.LOSS)


def _is_learned(run: Run) -> bool:
    """Whether the training loss has come down so far that a change could hardly be seen in it."""
    ends, begins = end(run, Measure.LOSS), start_of(curve(run, Measure.LOSS))
    return ends is not None and begins is not None and 0 <= ends < _LEARNED * begins


_RUINED = -0.9
"""A pair whose treated arm is so much worse broke, although its numbers are finite."""


def next_dose(candidate: Candidate, trial: Trial, before: Trial | None) -> Candidate | None:
    """What to try after a trial, which may have been suggested by one before it."""
    if not trial.counted:
        return None
    return _next_dose(candidate, trial, before) or _steadied(candidate, trial)


def _next_dose(candidate: Candidate, trial: Trial, before: Trial | None) -> Candidate | None:
    """More if it helped more or showed nothing yet, at last off; a smaller one if it was too much."""
    spec = candidate.changes[0]
    doses = change_of(spec).doses
    if len(candidate.changes) > 1 or doses is None or not spec.is_factor:
        return None
    factor = spec.number
    times = doses.step or max(factor, 1 / factor)
    better = gain_of(trial)
    if better >= PROMISING and (before is None or _helps_more(trial, before)):
        if before is not None and doses.off is not None and (factor > 1) is doses.off.larger_is_weaker:
            return _dosed(candidate, doses.off.words)
        factor *= times if factor > 1 else 1 / times
    elif before is not None:
        return None
    elif better <= -PROMISING:
        factor = factor**0.5
    elif doses.is_searched:
        # What is off by far more than that shows nothing yet.
        factor *= times if factor > 1 else 1 / times
    else:
        return None
    # Two digits, and 100 rather than 1e+02.
    return _dosed(candidate, ("x", f"{float(f'{factor:.2g}'):g}"))


def _dosed(candidate: Candidate, words: tuple[str, ...]) -> Candidate:
    """The same change in another dose."""
    dose = ChangeSpec(candidate.changes[0].name, words)
    return replace(candidate, changes=(dose,), title=label_of((dose,)))


def _helps_more(trial: Trial, before: Trial) -> bool:
    """Whether more is still better; where the dose before was too much, the way further leads back to it."""
    return gain_of(before) >= PROMISING and rank(trial) < rank(before)


def _steadied(candidate: Candidate, trial: Trial) -> Candidate | None:
    """The same at a lower learning rate, if a change breaks a run that did not break without it."""
    steady = _steadying()
    is_lowered = any(spec.name == steady.name for spec in candidate.changes)
    if is_lowered or not any(_is_broken_by(pair, trial.measure) for pair in trial.counted):
        return None
    title = f"{candidate.title}, at a lower learning rate"
    return replace(candidate, changes=(*candidate.changes, steady), title=title)


def _steadying() -> ChangeSpec:
    """What a change is tried with that breaks the training: it may learn where that steadies it."""
    change = next(
        known_change
        for known_change in known_changes().values()
        if known_change.doses and known_change.doses.steadies
    )
    assert change.doses is not None
    return ChangeSpec(change.name, ("x", f"{change.doses.steadies:g}"))


def _is_broken_by(pair: Pair, measure: Measure) -> bool:
    # Where it stopped with an error, a lower learning rate does not make the change fit.
    return not pair.treated.problem and gain([pair], measure) <= _RUINED
