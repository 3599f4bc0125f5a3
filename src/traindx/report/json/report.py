"""The report as JSON: the schema `traindx.report/1`, with diagnoses, treatments and comparisons.

Numbers that are not finite are the strings "NaN", "Infinity" and "-Infinity", as JSON has none of its own.
"""

import math
from collections.abc import Iterable

from traindx.cause import Prescription
from traindx.changes.types import name_of
from traindx.comparison.types import Comparison
from traindx.diagnosis.types import Diagnosis, NextExperiment, Reason, SignResult, Suspect
from traindx.finding import CannotTell, Evidence
from traindx.report.json.values import Document, Json, as_text, finite, head, number, run_document, told
from traindx.trials.types import Arm, Report, Treatment, Trial


def render(report: Report, *, values: bool = False) -> str:
    """The report as indented JSON; with `values`, every point of every series."""
    runs = [run_document(run, values) for run in report.runs]
    for index, diagnosis in enumerate(report.diagnoses):
        tried = report.treatment if index == 0 else None
        runs[index] = {"name": diagnosis.run, **diagnosis_document(diagnosis, tried), **runs[index]}
    kinds = {"treatment": report.treatment, "comparison": report.comparison, "diagnosis": report.diagnoses}
    kind = next((kind for kind, value in kinds.items() if value), "reading")
    document: Document = {**head(kind), "runs": list(runs)}
    if report.diagnoses or report.comparison:
        document["comparison"] = comparison_document(report.comparison) if report.comparison else None
    document["problems"] = [told(problem, "where what todo") for problem in report.problems]
    document["other_files"] = report.other_files
    return as_text(document)


def treatment_document(treatment: Treatment) -> Document:
    """All trials, which of them is proven, the patch, and what was left untried."""
    return {
        "trials": [trial_document(trial) for trial in treatment.trials],
        "best": treatment.best.name if treatment.best else None,
        **told(treatment, "patch? patch_says? patch_verified"),
        "untried": [
            {"name": name_of(candidate.changes), **told(candidate, "cause? title measure worth? because?")}
            for candidate in treatment.untried
        ],
        **told(treatment, "why_untried? notes"),
    }


def trial_document(trial: Trial) -> Document:
    """One change, what it was compared by, and what came out, seed by seed."""
    arms = [arm for pair in trial.pairs for arm in (pair.treated, pair.control)]
    return {
        "name": trial.name,
        "changes": [str(change) for change in trial.changes],
        **told(trial, "cause? title measure"),
        "better": "higher" if trial.measure.is_better_higher else "lower",
        **told(trial, "control? treated? effect?"),
        "interval": None if trial.interval is None else [finite(end) for end in trial.interval],
        "gain": finite(trial.gain),
        "gain_interval": None if trial.gain_interval is None else list(trial.gain_interval),
        **told(trial, "healthy_after? outcome says"),
        "seeds": len(trial.counted),
        "pairs": [
            {"seed": pair.control.seed, "control": _arm(pair.control), "treated": _arm(pair.treated)}
            for pair in trial.pairs
        ],
        "refused": next((arm.refused for arm in arms if arm.refused), None),
        "problem": next((arm.problem for arm in arms if arm.problem), None),
    }


def _arm(arm: Arm) -> Json:
    broke = arm.value is not None and not math.isfinite(arm.value)
    return {**told(arm, "value?"), "broke": broke, **told(arm, "metric? steps folder refused? problem?")}


def diagnosis_document(diagnosis: Diagnosis, treatment: Treatment | None = None) -> Document:
    """The verdict, what leads to it and what follows from it; with a treatment, what was tried."""
    following = diagnosis.next_experiment
    tried = treatment_document(treatment) if treatment else {}
    kind = diagnosis.objective
    document: Document = {
        "objective": {
            "name": kind.objective.slug,
            **told(kind, "evidence?"),
            "judged": kind.objective.is_checked,
        },
        **told(diagnosis, "verdict says problem? severity confidence healthy"),
        "suspects": [_suspect(suspect) for suspect in diagnosis.suspects],
        "ruled_out": [_ruled_out(suspect) for suspect in diagnosis.ruled_out],
        "healthy_reasons": _reasons(diagnosis.healthy_reasons),
        "findings": [_finding(asked) for asked in diagnosis.findings],
        "questions": [_question(asked) for asked in diagnosis.asked],
        "not_recorded": [told(unrecorded, "quantity would_tell") for unrecorded in diagnosis.not_recorded],
        "next_experiment": None if following is None else experiment_document(following),
        "trials": tried.pop("trials", []),
    }
    return {**document, "treatment": tried} if treatment else document


def _suspect(suspect: Suspect) -> Json:
    cause = suspect.cause
    return {
        "cause": cause.slug,
        "mechanism": suspect.mechanism.slug if suspect.mechanism else None,
        **told(cause, "title kind"),
        **told(suspect, "place? fingerprint layer? batch severity confidence score"),
        "reasons": _reasons(suspect.reasons),
        "evidence": evidence_documents(suspect.evidence),
        "fixes": [fix_document(fix) for fix in cause.fixes],
        "what_not_to_do": list(cause.what_not_to_do),
        "rivals": [told(rival, "cause=slug told_apart_by") for rival in cause.rivals],
    }


def _ruled_out(suspect: Suspect) -> Json:
    named = told(suspect, "cause=cause.slug title=cause.title confidence score")
    return {**named, "reasons": _reasons(suspect.reasons)}


def _reasons(reasons: Iterable[Reason]) -> Json:
    return [
        {
            **told(reason, "says points"),
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
            **told(item, "quantity=quantity.slug part layer axis"),
            "first_step": number(item.steps[0]),
            "last_step": number(item.steps[1]),
            **told(item, "value limit batch place=location?"),
        }
        for item in evidence
    ]


def fix_document(fix: Prescription) -> Json:
    """A change that is meant to cure a cause."""
    return told(fix, "title before code expect not_when safety change")


def _finding(asked: SignResult) -> Json:
    finding = asked.finding
    assert finding is not None
    return {
        **told(asked, "sign=sign.slug severity=sign.severity"),
        **told(finding, "strength says"),
        "evidence": evidence_documents(finding.evidence),
    }


def _question(asked: SignResult) -> Json:
    answer = "cannot_tell" if asked.cannot_tell else "yes" if asked.finding else "no"
    why = asked.answer.value if isinstance(asked.answer, CannotTell) else None
    return {**told(asked, "sign=sign.slug asks=sign.asks"), "answer": answer, "why_not_told": why}


def experiment_document(following: NextExperiment) -> Json:
    """The test that separates the leading suspects."""
    return {
        "tests": following.tests.slug,
        "against": [cause.slug for cause in following.against],
        **told(following.experiment, "does if_true if_false"),
        "minutes": None if following.seconds is None else number(following.seconds / 60),
    }


_ENTRY = "run best best_at final axis points reached_at verdict says settings"


def comparison_document(comparison: Comparison) -> Document:
    """The runs, the best first, and how they differ."""
    return {
        **told(comparison, "measure=measure.slug part better=measure.better target noise"),
        "entries": [told(entry, _ENTRY) for entry in comparison.entries],
        "differing": list(comparison.differing),
        "associations": [
            told(association, "name correlation chance runs says") for association in comparison.associations
        ],
        "partings": [told(parting, "first second step axis says") for parting in comparison.partings],
        "notes": [*comparison.warnings, *comparison.notes],
    }
