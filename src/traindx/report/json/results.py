"""Every result but the report as JSON: exams, preflight, the learning-rate test, interviews, the casebook."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict

from traindx.diagnosis.types import Exam, Reason
from traindx.exams.data_exam.types import Examination
from traindx.exams.learning_rate.program import ProgramRate
from traindx.exams.learning_rate.types import FoundRate, RateTrial
from traindx.exams.preflight.types import Checklist
from traindx.exams.questions import Checked
from traindx.exams.types import ActivationExam, GradientExam, GradientRow, ModelExam
from traindx.finding import Finding, Mark
from traindx.interview.questions.types import UNKNOWN, Question, Told
from traindx.interview.types import CheckedClaim, Conclusion, Gathered, Hypothesis, Move
from traindx.report.json.report import evidence_documents, experiment_document
from traindx.report.json.values import Document, Json, as_text, ascii_text, finite, head, number, plain, told
from traindx.report.results.learning_rate import change_line, verdict
from traindx.report.results.problems import advice
from traindx.trials.types import Case


def exam_document(exam: Exam) -> Document:
    """Which exam, what it found wrong, and what it looked for in vain."""
    problems: list[Json] = [
        {**told(problem, "cause severity=degree says layers"), "todo": advice(problem)}
        for problem in exam.problems
    ]
    return {"exam": exam.exam, "problems": problems, "cleared": list(exam.cleared)}


def model_exam_document(exam: ActivationExam | GradientExam | ModelExam) -> str:
    """Everything that an exam of a model found, as indented JSON."""
    if isinstance(exam, GradientExam):
        parts: Document = {
            **told(exam, "loss loss_function norm decay without_gradient frozen"),
            "parameters": [_gradient(row) for row in exam.rows],
        }
    elif isinstance(exam, ActivationExam):
        parts = told(exam, "batches inputs layers=rows")
    else:
        parts = {
            **told(exam, "parameters trainable samples plain_depth"),
            "memory": {**asdict(exam.memory), **told(exam.memory, "adam with_adam")},
            "layers": [told(row, "name kind parameters trainable output=shape gain") for row in exam.rows],
        }
    begins = {**head("exam"), **exam_document(exam)}
    return ascii_text({**begins, **told(exam, "model verdict=mark notes"), **parts})


def _gradient(row: GradientRow) -> Json:
    return {
        **told(row.layer, "name kind shape"),
        "state": row.state or "reached",
        **told(row, "norm weight_norm=weight ratio values=spread"),
    }


def examination_document(examination: Examination) -> str:
    """The exam as indented JSON."""
    document: Document = {
        **head("exam"),
        **exam_document(examination),
        **told(examination, "subject about verdict causes"),
        "checks": [_check(check) for check in examination.checks],
        "notes": list(examination.notes),
    }
    return ascii_text(document)


def rows_table(examination: Examination) -> str:
    """Every row that a fault is about, with its reason, as CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["part", "row", "item", "check", "severity", "reason"])
    for check in examination.checks:
        for fault in check.findings:
            for row in fault.samples:
                writer.writerow(
                    [row.part, row.index, row.name, check.check.slug, fault.degree.value, row.reason]
                )
    return stream.getvalue()


def _check(check: Checked) -> Json:
    named = told(check, "name=check.slug asks=check.title mark says")
    return {**named, "faults": [_fault(fault) for fault in check.findings]}


def _fault(fault: Finding) -> Json:
    rows: list[Json] = [told(row, "part row=index item=name? reason") for row in fault.samples]
    return {**told(fault, "severity=degree says cause? do=todo code? columns"), "rows": rows}


def checklist_document(found: Checklist) -> str:
    """All checks as indented JSON; numbers that are not finite are strings, as in the report."""
    document: Document = {
        **head("preflight"),
        **exam_document(found),
        **told(found, "command verdict=mark says"),
        "counts": {mark.value: len(found.having(mark)) for mark in Mark},
        "checks": [_checked(checked) for checked in found.checked],
        "steps": found.steps,
        "seconds": number(round(found.seconds, 1)),
        **told(found, "folder notes"),
    }
    return as_text(document) + "\n"


def _checked(checked: Checked) -> Json:
    named = told(checked, "check=check.slug title=check.title part=check.part mark causes")
    return {**named, "seen": [*map(_finding, checked.findings), *_remark(checked)]}


def _remark(checked: Checked) -> list[Json]:
    if not checked.says:
        return []
    evidence = evidence_documents(checked.outcome.evidence)
    rest: Document = {"sign": None, "place": None, "causes": [], "evidence": evidence}
    return [{**told(checked, "mark=remark says"), **rest}]


def _finding(finding: Finding) -> Json:
    evidence = evidence_documents(finding.evidence)
    return {**told(finding, "mark says sign? place=location? causes"), "evidence": evidence}


def rate_document(program: ProgramRate) -> str:
    """All of it as indented JSON; numbers that are not finite are strings, as in the report."""
    result = program.found
    document: Document = {
        **head("lr"),
        **exam_document(result),
        "command": program.command,
        "says": verdict(result),
        **told(result, "why current suggested usable diverges begins measure"),
        "trials": [_trial(result, trial) for trial in result.trials],
        "range_test": told(result.curve, "rates losses"),
        "steps": result.steps,
        "seconds": number(round(program.seconds, 1)),
        "change": change_line(program) or None,
        "patch": program.patch.diff if program.patch else None,
        "folder": str(program.folder),
        "notes": list(result.notes),
    }
    return ascii_text(document)


def _trial(result: FoundRate, trial: RateTrial) -> Json:
    fall = plain(result.share(trial))
    return {
        **told(trial, "rate loss"),
        "fall": fall,
        **told(trial, "ran_away broke=course.broke losses=course.losses"),
    }


def interview_document(conclusion: Conclusion) -> str:
    """All of it as indented JSON."""
    consultation = conclusion.consultation
    interview = consultation.interview
    document: Document = {
        **head("interview"),
        **told(conclusion, "says stands_out"),
        "words": interview.words,
        "symptoms": [told(complaint, "symptom=slug says") for complaint in interview.complaints],
        "outside": [told(field, "field=slug called look inside?") for field in consultation.outside],
        "asked": len(interview.told),
        "answers": [_answered(answer) for answer in interview.told],
        "gathered": [_gathered(evidence) for evidence in interview.gathered],
        "healthy": _share(consultation.ranking.healthy),
        "hypotheses": [_hypothesis(hypothesis) for hypothesis in conclusion.hypotheses],
        "walked": [_move(move) for move in consultation.moves],
        "claims": [_claim(claim) for claim in conclusion.claims],
        "next_question": _question(conclusion.question) if conclusion.question else None,
        "next_experiment": experiment_document(conclusion.experiment) if conclusion.experiment else None,
        "next_commands": [told(command, "command=line tells") for command in conclusion.commands],
        "limits": list(conclusion.limits),
    }
    return ascii_text(document)


def _share(value: float) -> Json:
    return number(round(value, 4))


def _answered(answer: Told) -> Json:
    facts: Document = {fact.slug: plain(value) for fact, value in (answer.facts or {}).items()}
    named = told(answer, "question=question.slug asks=question.asks answer=slug says")
    return {**named, "facts": facts}


def _gathered(gathered: Gathered) -> Json:
    verdict = gathered.diagnosis.verdict.value if gathered.diagnosis else None
    return {**told(gathered, "source says"), "verdict": verdict}


def _hypothesis(hypothesis: Hypothesis) -> Json:
    return {
        **told(hypothesis.cause, "cause=slug title kind"),
        "confidence": _share(hypothesis.confidence),
        "reasons": [_reason(line) for line in hypothesis.reasons],
        "fix": told(hypothesis.cause.fixes[0], "title change expect not_when"),
        "what_not_to_do": list(hypothesis.cause.what_not_to_do),
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
        "leads": [
            {"cause": hypothesis.cause.slug, "confidence": _share(hypothesis.confidence)}
            for hypothesis in top
        ],
    }


def _claim(checked: CheckedClaim) -> Json:
    return {
        **told(checked, "claim=claim.slug says=claim.says"),
        "stands": checked.stand.name.lower(),
        "confidence": _share(checked.share),
        **told(checked, "answer=says because"),
        "usually": [cause.slug for cause in checked.usually],
        "would_change_it": list(checked.changes_mind),
    }


def _question(question: Question) -> Json:
    fields: list[Json] = [
        {"name": field.names[0], "takes": list(field.words) or "a number", "means": field.fact.meaning}
        for field in question.fields
    ]
    answers: list[Json] = [told(choice, "answer=slug says") for choice in question.choices]
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
