"""An interview and the casebook as JSON."""

from collections.abc import Sequence

from traindx.cause import Cause
from traindx.diagnosis.types import Reason
from traindx.interview.out_of_scope import Outside
from traindx.interview.questions.types import UNKNOWN, Question, Told
from traindx.interview.types import CheckedClaim, Conclusion, Gathered, Hypothesis, Move
from traindx.report.json.diagnosis import experiment_document
from traindx.report.json.values import Document, Json, ascii_text, finite, head, number, scalar, told
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
        "answers": [_answered(one) for one in interview.told],
        "gathered": [_gathered(one) for one in interview.gathered],
        "healthy": _share(consultation.ranking.healthy),
        "hypotheses": [_hypothesis(one) for one in conclusion.hypotheses],
        "walked": [_move(one) for one in consultation.moves],
        "claims": [_claim(one) for one in conclusion.claims],
        "next_question": _question(conclusion.question) if conclusion.question else None,
        "next_experiment": experiment_document(conclusion.experiment) if conclusion.experiment else None,
        "next_commands": [{"command": one.line, "tells": one.tells} for one in conclusion.commands],
        "limits": list(conclusion.limits),
    }
    return ascii_text(document)


def _share(value: float) -> Json:
    return number(round(value, 4))


def _answered(told: Told) -> Json:
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


def _outside(matter: Outside) -> Json:
    return {
        "field": matter.slug,
        "called": matter.called,
        "look": matter.look,
        "inside": matter.inside or None,
    }


def cases_document(cases: Sequence[Case]) -> str:
    """Cases as indented JSON, the latest first; what is not finite is null, and `says` tells why."""
    return ascii_text({**head("cases"), "cases": [_case(case) for case in cases]})


def _case(case: Case) -> Json:
    interval: Json = None if case.low is None or case.high is None else [finite(case.low), finite(case.high)]
    return {
        **told(case, "when project command run verdict"),
        "suspect": case.suspect or None,
        "confidence": finite(case.confidence),
        "change": case.change or None,
        "cause": case.cause or None,
        "title": case.title or None,
        "measure": case.measure or None,
        "control": finite(case.control),
        "treated": finite(case.treated),
        "effect": finite(case.effect),
        "interval": interval,
        "outcome": case.outcome or None,
        "says": case.says or None,
        **told(case, "seeds proven patch_applied"),
    }
