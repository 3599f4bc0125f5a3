"""Exams, preflight and the learning-rate test as JSON."""

import csv
import io
from dataclasses import asdict

from traindx.diagnosis.types import Exam
from traindx.exams.data_exam.types import Examination
from traindx.exams.learning_rate.program import ProgramRate
from traindx.exams.learning_rate.types import FoundRate, RateTrial
from traindx.exams.preflight.types import Checklist
from traindx.exams.questions import Checked
from traindx.exams.types import ActivationExam, GradientExam, GradientRow, ModelExam
from traindx.finding import Finding, Mark
from traindx.report.json.report import evidence_documents
from traindx.report.json.values import Document, Json, as_text, ascii_text, head, number, plain, told
from traindx.report.results.learning_rate import change_line, verdict
from traindx.report.results.problems import advice


def exam_document(exam: Exam) -> Document:
    """Which exam, what it found wrong, and what it looked for in vain."""
    problems: list[Json] = [
        {**told(one, "cause severity=degree says layers"), "todo": advice(one)} for one in exam.problems
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
        "checks": [_checked(one) for one in found.checked],
        "steps": found.steps,
        "seconds": number(round(found.seconds, 1)),
        **told(found, "folder notes"),
    }
    return as_text(document) + "\n"


def _checked(one: Checked) -> Json:
    named = told(one, "check=check.slug title=check.title part=check.part mark causes")
    return {**named, "seen": [*map(_finding, one.findings), *_remark(one)]}


def _remark(one: Checked) -> list[Json]:
    if not one.says:
        return []
    evidence = evidence_documents(one.outcome.evidence)
    rest: Document = {"sign": None, "place": None, "causes": [], "evidence": evidence}
    return [{**told(one, "mark=remark says"), **rest}]


def _finding(one: Finding) -> Json:
    evidence = evidence_documents(one.evidence)
    return {**told(one, "mark says sign? place=location? causes"), "evidence": evidence}


def rate_document(program: ProgramRate) -> str:
    """All of it as indented JSON; numbers that are not finite are strings, as in the report."""
    found = program.found
    document: Document = {
        **head("lr"),
        **exam_document(found),
        "command": program.command,
        "says": verdict(found),
        **told(found, "why current suggested usable diverges begins measure"),
        "trials": [_trial(found, one) for one in found.trials],
        "range_test": told(found.curve, "rates losses"),
        "steps": found.steps,
        "seconds": number(round(program.seconds, 1)),
        "change": change_line(program) or None,
        "patch": program.patch.diff if program.patch else None,
        "folder": str(program.folder),
        "notes": list(found.notes),
    }
    return ascii_text(document)


def _trial(found: FoundRate, one: RateTrial) -> Json:
    fall = plain(found.share(one))
    return {
        **told(one, "rate loss"),
        "fall": fall,
        **told(one, "ran_away broke=course.broke losses=course.losses"),
    }
