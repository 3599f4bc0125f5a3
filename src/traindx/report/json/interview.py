"""An interview and the casebook as JSON."""

from collections.abc import Sequence

from traindx.diagnosis.types import Reason
from traindx.interview.questions.types import UNKNOWN, Question, Told
from traindx.interview.types import CheckedClaim, Conclusion, Gathered, Hypothesis, Move
from traindx.report.json.report import experiment_document
from traindx.report.json.values import Document, Json, ascii_text, finite, head, number, plain, told
from traindx.trials.types import Case


def interview_document(conclusion: Conclusion) -> str:
    """All of it as indented JSON."""
    consultation = conclusion.consultation
    interview = consultation.interview
    document: Document = {
        **head("interview"),
        **told(conclusion, "says stands_out"),
        "words": interview.words,
        "symptoms": [told(one, "symptom=slug says") for one in interview.complaints],
        "outside": [told(one, "field=slug called look inside?") for one in consultation.outside],
        "asked": len(interview.told),
        "answers": [_answered(one) for one in interview.told],
        "gathered": [_gathered(one) for one in interview.gathered],
        "healthy": _share(consultation.ranking.healthy),
        "hypotheses": [_hypothesis(one) for one in conclusion.hypotheses],
        "walked": [_move(one) for one in consultation.moves],
        "claims": [_claim(one) for one in conclusion.claims],
        "next_question": _question(conclusion.question) if conclusion.question else None,
        "next_experiment": experiment_document(conclusion.experiment) if conclusion.experiment else None,
        "next_commands": [told(one, "command=line tells") for one in conclusion.commands],
        "limits": list(conclusion.limits),
    }
    return ascii_text(document)


def _share(value: float) -> Json:
    return number(round(value, 4))


def _answered(one: Told) -> Json:
    facts: Document = {fact.slug: plain(value) for fact, value in (one.facts or {}).items()}
    named = told(one, "question=question.slug asks=question.asks answer=slug says")
    return {**named, "facts": facts}


def _gathered(gathered: Gathered) -> Json:
    verdict = gathered.diagnosis.verdict.value if gathered.diagnosis else None
    return {**told(gathered, "source says"), "verdict": verdict}


def _hypothesis(one: Hypothesis) -> Json:
    return {
        **told(one.cause, "cause=slug title kind"),
        "confidence": _share(one.confidence),
        "reasons": [_reason(line) for line in one.reasons],
        "fix": told(one.cause.fixes[0], "title change expect not_when"),
        "what_not_to_do": list(one.cause.what_not_to_do),
    }


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
        **told(checked, "claim=claim.slug says=claim.says"),
        "stands": checked.stand.name.lower(),
        "confidence": _share(checked.share),
        **told(checked, "answer=says because"),
        "usually": [one.slug for one in checked.usually],
        "would_change_it": list(checked.changes_mind),
    }


def _question(question: Question) -> Json:
    fields: list[Json] = [
        {"name": one.names[0], "takes": list(one.words) or "a number", "means": one.fact.meaning}
        for one in question.fields
    ]
    answers: list[Json] = [told(one, "answer=slug says") for one in question.choices]
    unknown: Json = {"answer": UNKNOWN, "says": "not known"}
    named = told(question, "question=slug asks look")
    return {**named, "answers": [*answers, unknown], "fields": fields}


def cases_document(cases: Sequence[Case]) -> str:
    """Cases as indented JSON, the latest first; what is not finite is null, and `says` tells why."""
    return ascii_text({**head("cases"), "cases": [_case(case) for case in cases]})


def _case(case: Case) -> Json:
    interval: Json = None if case.low is None or case.high is None else [finite(case.low), finite(case.high)]
    return {
        **told(case, "when project command run verdict suspect? confidence? change? cause? title? measure?"),
        **told(case, "control? treated? effect?"),
        "interval": interval,
        **told(case, "outcome? says? seeds proven patch_applied"),
    }
