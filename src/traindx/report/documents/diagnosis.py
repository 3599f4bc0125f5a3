"""What is known about a run."""

from collections.abc import Iterable

from traindx.cause import Prescription
from traindx.diagnosis.types import Diagnosis, NextExperiment, Reason, SignResult, Suspect
from traindx.finding import CannotTell, Evidence
from traindx.report.documents.treatment import treatment_document
from traindx.report.documents.value import Document, Json, number, optional, scalar
from traindx.trials.types import Treatment


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
        "next_experiment": None if following is None else _experiment(following),
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
        "layer": suspect.layer or None,
        "batch": suspect.batch,
        "severity": suspect.severity.value,
        "confidence": number(suspect.confidence),
        "score": number(suspect.score),
        "reasons": _reasons(suspect.reasons),
        "evidence": evidence_documents(suspect.evidence),
        "fixes": [_fix(fix) for fix in cause.fixes],
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


def _fix(fix: Prescription) -> Json:
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


def _experiment(following: NextExperiment) -> Json:
    return {
        "tests": following.tests.slug,
        "against": [cause.slug for cause in following.against],
        "does": following.experiment.does,
        "if_true": following.experiment.if_true,
        "if_false": following.experiment.if_false,
        "minutes": number(following.experiment.minutes),
    }
