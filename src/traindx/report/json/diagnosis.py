"""A diagnosis, a treatment and a comparison as JSON."""

import math
from collections.abc import Iterable

from traindx.cause import Prescription
from traindx.changes.types import name_of
from traindx.comparison.types import Comparison
from traindx.diagnosis.types import Diagnosis, NextExperiment, Reason, SignResult, Suspect
from traindx.finding import CannotTell, Evidence
from traindx.report.json.values import Document, Json, finite, number, optional, scalar, told
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
        "control": finite(trial.control),
        "treated": finite(trial.treated),
        "effect": finite(trial.effect),
        "interval": None if trial.interval is None else [finite(end) for end in trial.interval],
        "gain": finite(trial.gain),
        "gain_interval": None if trial.gain_interval is None else list(trial.gain_interval),
        "healthy_after": finite(trial.healthy_after),
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
        "value": finite(arm.value),
        "broke": arm.value is not None and not math.isfinite(arm.value),
        "metric": finite(arm.metric),
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
        "worth": finite(planned.worth),
        "because": planned.because or None,
    }


def diagnosis_document(diagnosis: Diagnosis, treatment: Treatment | None = None) -> Document:
    """The verdict, what leads to it and what follows from it; with a treatment, what was tried."""
    following = diagnosis.next_experiment
    tried = treatment_document(treatment) if treatment else {}
    document: Document = {
        "verdict": diagnosis.verdict.value,
        "says": diagnosis.says,
        "severity": diagnosis.severity.value,
        "confidence": number(diagnosis.confidence),
        "healthy": number(diagnosis.healthy),
        "suspects": [_suspect(suspect) for suspect in diagnosis.suspects],
        "ruled_out": [_ruled_out(suspect) for suspect in diagnosis.ruled_out],
        "healthy_reasons": _reasons(diagnosis.healthy_reasons),
        "findings": [_finding(asked) for asked in diagnosis.findings],
        "questions": [_question(asked) for asked in diagnosis.asked],
        "not_recorded": [
            {"quantity": one.quantity, "would_tell": one.would_tell} for one in diagnosis.not_recorded
        ],
        "next_experiment": None if following is None else experiment_document(following),
        "trials": tried.pop("trials", []),
    }
    return {**document, "treatment": tried} if treatment else document


def _suspect(suspect: Suspect) -> Json:
    cause = suspect.cause
    return {
        "cause": cause.slug,
        "mechanism": suspect.mechanism.slug if suspect.mechanism else None,
        "title": cause.title,
        "kind": cause.kind.value,
        "place": suspect.place or None,
        "fingerprint": suspect.fingerprint,
        "layer": suspect.layer or None,
        "batch": suspect.batch,
        "severity": suspect.severity.value,
        "confidence": number(suspect.confidence),
        "score": number(suspect.score),
        "reasons": _reasons(suspect.reasons),
        "evidence": evidence_documents(suspect.evidence),
        "fixes": [fix_document(fix) for fix in cause.fixes],
        "what_not_to_do": list(cause.what_not_to_do),
        "rivals": [{"cause": one.slug, "told_apart_by": one.told_apart_by} for one in cause.rivals],
    }


def _ruled_out(suspect: Suspect) -> Json:
    return {
        "cause": suspect.cause.slug,
        "title": suspect.cause.title,
        "confidence": number(suspect.confidence),
        "score": number(suspect.score),
        "reasons": _reasons(suspect.reasons),
    }


def _reasons(reasons: Iterable[Reason]) -> Json:
    return [
        {
            "says": reason.says,
            "points": number(reason.points),
            "sign": reason.sign.slug if reason.sign else None,
            "seen": reason.seen,
            "evidence": evidence_documents(reason.evidence),
        }
        for reason in reasons
    ]


def evidence_documents(evidence: Iterable[Evidence]) -> Json:
    """Where the numbers stand that speak for something."""
    return [
        {
            "quantity": one.quantity.slug,
            "part": one.part,
            "layer": one.layer,
            "axis": one.axis.value,
            "first_step": number(one.steps[0]),
            "last_step": number(one.steps[1]),
            "value": scalar(one.value),
            "limit": optional(one.limit),
            "batch": one.batch,
            "place": one.location or None,
        }
        for one in evidence
    ]


def fix_document(fix: Prescription) -> Json:
    """A change that is meant to cure a cause."""
    return {
        "title": fix.title,
        "before": fix.before,
        "code": fix.code,
        "expect": fix.expect,
        "not_when": fix.not_when,
        "safety": fix.safety.value,
        "change": fix.change,
    }


def _finding(asked: SignResult) -> Json:
    finding = asked.finding
    assert finding is not None
    return {
        "sign": asked.sign.slug,
        "severity": asked.sign.severity.value,
        "strength": number(finding.strength),
        "says": finding.says,
        "evidence": evidence_documents(finding.evidence),
    }


def _question(asked: SignResult) -> Json:
    given = "cannot_tell" if asked.cannot_tell else "yes" if asked.finding else "no"
    why = asked.answer.value if isinstance(asked.answer, CannotTell) else None
    return {"sign": asked.sign.slug, "asks": asked.sign.asks, "answer": given, "why_not_told": why}


def experiment_document(following: NextExperiment) -> Json:
    """The test that separates the leading suspects."""
    return {
        "tests": following.tests.slug,
        "against": [cause.slug for cause in following.against],
        "does": following.experiment.does,
        "if_true": following.experiment.if_true,
        "if_false": following.experiment.if_false,
        "minutes": None if following.seconds is None else number(following.seconds / 60),
    }


_ENTRY = "run best best_at final axis points reached_at verdict says settings"


def comparison_document(comparison: Comparison) -> Document:
    """The runs, the best first, and how they differ."""
    return {
        "measure": comparison.measure.slug,
        "part": comparison.part,
        "better": comparison.measure.better.value,
        "target": optional(comparison.target),
        "noise": optional(comparison.noise),
        "entries": [told(one, _ENTRY) for one in comparison.entries],
        "differing": list(comparison.differing),
        "associations": [told(one, "name correlation chance runs says") for one in comparison.associations],
        "partings": [told(one, "first second step axis says") for one in comparison.partings],
        "notes": [*comparison.warnings, *comparison.notes],
    }
