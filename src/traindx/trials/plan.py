"""Which changes are worth a trial, the most promising first."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from traindx.cause import Prescription, Symptom
from traindx.changes.types import EARLY_STOP, ChangeSpec, kind_of, parse_changes
from traindx.curves.curve import whole
from traindx.diagnosis.types import Diagnosis, Suspect, Verdict
from traindx.quantities import GRADIENT_NORM, VAL_LOSS
from traindx.run import Run
from traindx.trials.measure import can_measure, end, start
from traindx.trials.types import Candidate, Measure

_LATER = 0.7
"""What each fix of a cause is worth against the one before it: the first is the best."""
_LEAST = 0.01
"""Worth below which nothing is tried."""
_FAIR = 0.15
"""Worth from which on a change is tried although the run is taken for healthy: somebody asked for it."""
_LEARNT = 0.01
"""Of where a training loss began: below it there is nothing left to gain."""
_CLIP = "gradients.clip"
_FOR_VALIDATION = frozenset({"model.restore_mode", "regularize.dropout", "regularize.weight_decay"})
"""Changes whose worth shows in validation: less dropout lowers a training loss by itself."""

AltersLoss = Callable[[ChangeSpec], bool]
Past = Mapping[str, tuple[int, int]]
"""How often a change was tried on this project, and how often it helped."""


def planned(diagnosis: Diagnosis, run: Run, alters_loss: AltersLoss, past: Past) -> list[Candidate]:
    """All changes that the suspects ask for, by their worth; each change once."""
    found: dict[tuple[ChangeSpec, ...], Candidate] = {}
    for suspect in diagnosis.suspects:
        for place, fix in enumerate(_machine_applied(suspect)):
            changes = _resolved(fix.change or "", run)
            if not changes:
                continue
            worth = suspect.confidence * _LATER**place
            if changes in found:
                found[changes] = replace(found[changes], worth=found[changes].worth + worth)
                continue
            measure = measured_by(suspect.cause.symptoms, changes, run, alters_loss)
            found[changes] = Candidate(changes, suspect.cause.slug, fix.title, measure, worth)
    chosen = [_informed(one, past) for one in found.values()]
    return sorted((one for one in chosen if one.worth >= _LEAST), key=lambda one: -one.worth)


def is_worth_trying(diagnosis: Diagnosis, plan: Sequence[Candidate]) -> bool:
    """Whether anything is tried: on a run that is taken for healthy only what has a fair chance."""
    least = _FAIR if diagnosis.verdict is Verdict.HEALTHY else 0.0
    return bool(plan) and plan[0].worth >= least


def _machine_applied(suspect: Suspect) -> Iterable[Prescription]:
    """The fixes of a cause that a machine can apply, and those of the mechanism it acts through."""
    yield from (fix for fix in suspect.cause.fixes if fix.change)
    if suspect.mechanism is not None:
        yield from (fix for fix in suspect.mechanism.fixes if fix.change)


def _informed(one: Candidate, past: Past) -> Candidate:
    """Worth more where it helped on this project before, and less where it did not."""
    tried, helped = past.get(kind_of(one.changes), (0, 0))
    if not tried:
        return one
    # As if it had been tried twice more, with one success.
    factor = 2 * (helped + 1) / (tried + 2)
    return replace(
        one, worth=one.worth * factor, because=f"helped in {helped} of {tried} cases of this project"
    )


def _resolved(text: str, run: Run) -> tuple[ChangeSpec, ...]:
    """The changes of a prescription; none where one of them has no number to be had."""
    return resolved_together(parse_changes(text), run) or ()


def resolved_together(changes: Sequence[ChangeSpec], run: Run) -> tuple[ChangeSpec, ...] | None:
    """The same of changes that belong together."""
    found = [resolved(one, run) for one in changes]
    return None if None in found else tuple(one for one in found if one is not None)


def resolved(change: ChangeSpec, run: Run) -> ChangeSpec | None:
    """A change with the numbers that come from the recording; None where they are not there."""
    if change.name == EARLY_STOP:
        return _stop_at_best(run)
    if not change.needs_recording:
        return change
    if GRADIENT_NORM not in run:
        return ChangeSpec(_CLIP, ("1.0",))
    norms = whole(run, GRADIENT_NORM).finite.values
    # From before it fails: what comes after is what clipping is to prevent.
    early = norms[: max(5, len(norms) // 2)]
    usual = float(np.percentile(early, float(change.words[0][1:]))) if len(early) else 1.0
    middle = float(np.median(early)) if len(early) else 1.0
    limit = min(usual, 2 * middle)
    return (
        ChangeSpec(_CLIP, (f"{limit:.3g}",))
        if math.isfinite(limit) and limit > 0
        else ChangeSpec(_CLIP, ("1.0",))
    )


def _stop_at_best(run: Run) -> ChangeSpec | None:
    if VAL_LOSS not in run:
        return None
    losses = whole(run, VAL_LOSS).finite
    if len(losses) < 3:
        return None
    best = int(np.argmin(losses.values))
    # One step more, so that the validation after the best one is run.
    return ChangeSpec("stop.at", (str(int(losses.steps[best]) + 1),)) if best < len(losses) - 1 else None


def measured_by(
    symptoms: Iterable[Symptom], changes: Sequence[ChangeSpec], run: Run, alters_loss: AltersLoss
) -> Measure:
    """What arms are compared by: what the prescription promises, as far as the run shows it."""
    among, names = set(symptoms), {one.name for one in changes}
    if Symptom.TAKES_LONG in among and "loader.num_workers" in names:
        return Measure.SPEED
    if "loss.class_weights" in names:
        wishes = [Measure.BALANCED_ERROR, Measure.ERROR]
    elif any(map(alters_loss, changes)):
        turned = [Measure.LOSS_SIZE] if "loss.negate" in names else []
        wishes = [Measure.VALIDATION_ERROR, Measure.ERROR, *turned]
    elif Symptom.GENERALISES_BADLY in among or names & _FOR_VALIDATION:
        wishes = [Measure.VALIDATION_LOSS, Measure.VALIDATION_ERROR]
    elif _is_learnt(run):
        wishes = [Measure.VALIDATION_ERROR, Measure.VALIDATION_LOSS]
    else:
        wishes = []
    return next((one for one in wishes if can_measure(run, one)), Measure.LOSS)


def _is_learnt(run: Run) -> bool:
    """Whether the training loss has come down so far that a change could hardly be seen in it."""
    ends, begins = end(run, Measure.LOSS), start(run, Measure.LOSS)
    return ends is not None and begins is not None and 0 <= ends < _LEARNT * begins
