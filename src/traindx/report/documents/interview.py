"""An interview and the casebook as JSON."""

import json
import math
from collections.abc import Sequence

from traindx.cause import Cause
from traindx.diagnosis.types import NextExperiment, Reason
from traindx.interview.out_of_scope import Outside
from traindx.interview.questions.types import UNKNOWN, Question, Told
from traindx.interview.types import CheckedClaim, Conclusion, Gathered, Hypothesis, Move
from traindx.report.documents.run import Document, Json, head, number, scalar
from traindx.trials.types import Case


def interview_document(conclusion: Conclusion) -> str:
    """All of it as indented JSON."""
    consultation = conclusion.consultation
    interview = consultation.interview
    document: Document = {
        **head("interview"),
        "says": conclusion.says,
        "stands_out": conclusion.stands_out,
        "words": interview.words,
        "symptoms": [{"symptom": one.slug, "says": one.says} for one in interview.complaints],
        "outside": [_outside(one) for one in consultation.outside],
        "asked": len(interview.told),
        "answers": [_told(one) for one in interview.told],
        "gathered": [_gathered(one) for one in interview.gathered],
        "healthy": _share(consultation.ranking.healthy),
        "hypotheses": [_hypothesis(one) for one in conclusion.hypotheses],
        "walked": [_move(one) for one in consultation.moves],
        "claims": [_claim(one) for one in conclusion.claims],
        "next_question": _question(conclusion.question) if conclusion.question else None,
        "next_experiment": _experiment(conclusion.experiment) if conclusion.experiment else None,
        "next_commands": [{"command": one.line, "tells": one.tells} for one in conclusion.commands],
        "limits": list(conclusion.limits),
    }
    # Letters beyond ASCII are written as numbers: a terminal obeys some of them.
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _share(value: float) -> Json:
    return number(round(value, 4))


def _told(told: Told) -> Json:
    facts = {fact.slug: scalar(value) for fact, value in (told.facts or {}).items()}
    return {
        "question": told.question.slug,
        "asks": told.question.asks,
        "answer": told.slug,
        "says": told.says,
        "facts": {**facts},
    }


def _gathered(gathered: Gathered) -> Json:
    return {
        "source": gathered.source,
        "says": gathered.says,
        "verdict": gathered.diagnosis.verdict.value if gathered.diagnosis else None,
    }


def _hypothesis(one: Hypothesis) -> Json:
    fix = one.cause.fixes[0]
    return {
        **_named(one.cause),
        "kind": one.cause.kind.value,
        "confidence": _share(one.confidence),
        "reasons": [_reason(line) for line in one.reasons],
        "fix": {"title": fix.title, "change": fix.change, "expect": fix.expect, "not_when": fix.not_when},
        "what_not_to_do": list(one.cause.what_not_to_do),
    }


def _named(cause: Cause) -> dict[str, Json]:
    return {"cause": cause.slug, "title": cause.title}


def _reason(line: Reason) -> Json:
    sign = line.sign.slug if line.sign else None
    return {"says": line.says, "points": number(round(line.points, 2)), "sign": sign, "seen": line.seen}


def _move(move: Move) -> Json:
    top = move.after.hypotheses[:5]
    return {
        "asks": move.asks,
        "question": move.question.slug if move.question else None,
        "says": move.says,
        "leads": [{"cause": one.cause.slug, "confidence": _share(one.confidence)} for one in top],
    }


def _claim(checked: CheckedClaim) -> Json:
    return {
        "claim": checked.claim.slug,
        "says": checked.claim.says,
        "stands": checked.stand.name.lower(),
        "confidence": _share(checked.share),
        "answer": checked.says,
        "because": list(checked.because),
        "usually": [one.slug for one in checked.usually],
        "would_change_it": list(checked.changes_mind),
    }


def _question(question: Question) -> Json:
    fields: list[Json] = [
        {"name": one.names[0], "takes": list(one.words) or "a number", "means": one.fact.meaning}
        for one in question.fields
    ]
    answers: list[Json] = [{"answer": one.slug, "says": one.says} for one in question.choices]
    return {
        "question": question.slug,
        "asks": question.asks,
        "look": question.look,
        "answers": [*answers, {"answer": UNKNOWN, "says": "not known"}],
        "fields": fields,
    }


def _experiment(experiment: NextExperiment) -> Json:
    test = experiment.experiment
    return {
        "tests": experiment.tests.slug,
        "against": [one.slug for one in experiment.against],
        "does": test.does,
        "if_true": test.if_true,
        "if_false": test.if_false,
        "minutes": number(test.minutes),
    }


def _outside(matter: Outside) -> Json:
    return {
        "field": matter.slug,
        "called": matter.called,
        "look": matter.look,
        "inside": matter.inside or None,
    }


def cases_document(cases: Sequence[Case]) -> str:
    """Cases as indented JSON, the latest first; what is not finite is null, and `says` tells why."""
    document: Json = {**head("cases"), "cases": [_case(case) for case in cases]}
    # In letters of ASCII: a terminal would obey some of what names can hold.
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _case(case: Case) -> Json:
    interval: Json = (
        None if case.low is None or case.high is None else [_finite(case.low), _finite(case.high)]
    )
    return {
        "when": case.when,
        "project": case.project,
        "command": case.command,
        "run": case.run,
        "verdict": case.verdict,
        "suspect": case.suspect or None,
        "confidence": _finite(case.confidence),
        "change": case.change or None,
        "cause": case.cause or None,
        "title": case.title or None,
        "measure": case.measure or None,
        "control": _finite(case.control),
        "treated": _finite(case.treated),
        "effect": _finite(case.effect),
        "interval": interval,
        "outcome": case.outcome or None,
        "says": case.says or None,
        "seeds": case.seeds,
        "proven": case.proven,
        "patch_applied": case.patch_applied,
    }


def _finite(value: float | None) -> Json:
    return None if value is None or not math.isfinite(value) else number(value)
