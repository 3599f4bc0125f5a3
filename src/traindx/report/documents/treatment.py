"""What was tried on a program.

What is not finite is null here, unlike in curves: `broke` says so of an arm.
"""

import math

from traindx.changes.types import name_of
from traindx.report.documents.value import Document, Json, number
from traindx.trials.types import Arm, Candidate, Pair, Treatment, Trial


def treatment_document(treatment: Treatment) -> Document:
    """All trials, which of them is proven, the patch, and what was left untried."""
    return {
        "trials": [trial_document(trial) for trial in treatment.trials],
        "best": treatment.best.name if treatment.best else None,
        "patch": treatment.patch or None,
        "patch_says": treatment.patch_says or None,
        "patch_verified": treatment.patch_verified,
        "untried": [_planned(one) for one in treatment.untried],
        "why_untried": treatment.why_untried or None,
        "notes": list(treatment.notes),
    }


def trial_document(trial: Trial) -> Document:
    """One change, what it was compared by, and what came out, seed by seed."""
    arms = [arm for pair in trial.pairs for arm in (pair.treated, pair.control)]
    return {
        "name": trial.name,
        "changes": [str(change) for change in trial.changes],
        "cause": trial.cause or None,
        "title": trial.title,
        "measure": trial.measure.value,
        "better": "higher" if trial.measure.is_better_higher else "lower",
        "control": _finite(trial.control),
        "treated": _finite(trial.treated),
        "effect": _finite(trial.effect),
        "interval": None if trial.interval is None else [_finite(end) for end in trial.interval],
        "gain": _finite(trial.gain),
        "gain_interval": None if trial.gain_interval is None else list(trial.gain_interval),
        "healthy_after": _finite(trial.healthy_after),
        "outcome": trial.outcome.value,
        "says": trial.says,
        "seeds": len(trial.counted),
        "pairs": [_pair(pair) for pair in trial.pairs],
        "refused": next((arm.refused for arm in arms if arm.refused), None),
        "problem": next((arm.problem for arm in arms if arm.problem), None),
    }


def _pair(pair: Pair) -> Json:
    return {"seed": pair.control.seed, "control": _arm(pair.control), "treated": _arm(pair.treated)}


def _arm(arm: Arm) -> Json:
    return {
        "value": _finite(arm.value),
        "broke": arm.value is not None and not math.isfinite(arm.value),
        "metric": _finite(arm.metric),
        "steps": arm.steps,
        "folder": arm.folder,
        "refused": arm.refused or None,
        "problem": arm.problem or None,
    }


def _planned(planned: Candidate) -> Json:
    return {
        "name": name_of(planned.changes),
        "cause": planned.cause or None,
        "title": planned.title,
        "measure": planned.measure.value,
        "worth": _finite(planned.worth),
        "because": planned.because or None,
    }


def _finite(value: float | None) -> Json:
    return None if value is None or not math.isfinite(value) else number(value)
