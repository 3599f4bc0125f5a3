"""Exams, preflight and the learning-rate test as JSON."""

import csv
import io
import json
from dataclasses import asdict

from traindx.diagnosis.types import Exam
from traindx.exams.data_exam.types import Examination
from traindx.exams.learning_rate.program import ProgramRate
from traindx.exams.learning_rate.types import FoundRate, RateTrial
from traindx.exams.preflight.types import Checklist
from traindx.exams.questions import Checked
from traindx.exams.types import ActivationExam, GradientExam, GradientRow, ModelExam
from traindx.finding import Finding, Mark
from traindx.report.json.diagnosis import evidence_documents
from traindx.report.json.values import Document, Json, ascii_text, head, number, optional, plain, told
from traindx.report.results.learning_rate import change_line, verdict
from traindx.report.results.problems import advice


def exam_document(exam: Exam) -> Document:
    """Which exam, what it found wrong, and what it looked for in vain."""
    return {
        "exam": exam.exam,
        "problems": [
            {
                "cause": one.cause,
                "severity": one.degree.value,
                "says": one.says,
                "layers": list(one.layers),
                "todo": advice(one),
            }
            for one in exam.problems
        ],
        "cleared": list(exam.cleared),
    }


def model_exam_document(exam: ActivationExam | GradientExam | ModelExam) -> str:
    """Everything that an exam of a model found, as indented JSON."""
    parts = (
        _gradients(exam)
        if isinstance(exam, GradientExam)
        else _activations(exam)
        if isinstance(exam, ActivationExam)
        else _design(exam)
    )
    document: Document = {
        **head("exam"),
        **exam_document(exam),
        "model": exam.model,
        "verdict": exam.mark.value,
        "notes": list(exam.notes),
        **parts,
    }
    return ascii_text(document)


def _gradients(exam: GradientExam) -> Document:
    return {
        "loss": optional(exam.loss),
        "loss_function": exam.loss_function,
        "norm": number(exam.norm),
        "decay": plain(exam.decay),
        "without_gradient": list(exam.without_gradient),
        "frozen": list(exam.frozen),
        "parameters": [_gradient(row) for row in exam.rows],
    }


def _gradient(row: GradientRow) -> Json:
    return {
        **told(row.layer, "name kind shape"),
        "state": row.state or "reached",
        "norm": optional(row.norm),
        "weight_norm": optional(row.weight),
        "ratio": optional(row.ratio),
        "values": plain(row.spread),
    }


def _activations(exam: ActivationExam) -> Document:
    return {"batches": exam.batches, "inputs": exam.inputs, "layers": plain(exam.rows)}


def _design(exam: ModelExam) -> Document:
    return {
        **told(exam, "parameters trainable samples plain_depth"),
        "memory": {**asdict(exam.memory), "adam": exam.memory.adam, "with_adam": exam.memory.with_adam},
        "layers": [
            {
                **told(row, "name kind parameters trainable"),
                "output": plain(row.shape),
                "gain": optional(row.gain),
            }
            for row in exam.rows
        ],
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
    return {
        "name": check.check.slug,
        "asks": check.check.title,
        "mark": check.mark.value,
        "says": check.says,
        "faults": [_fault(fault) for fault in check.findings],
    }


def _fault(fault: Finding) -> Json:
    return {
        "severity": fault.degree.value,
        "says": fault.says,
        "cause": fault.cause or None,
        "do": fault.todo,
        "code": fault.code or None,
        "columns": list(fault.columns),
        "rows": [
            {"part": row.part, "row": row.index, "item": row.name or None, "reason": row.reason}
            for row in fault.samples
        ],
    }


def checklist_document(found: Checklist) -> str:
    """All checks as indented JSON; numbers that are not finite are strings, as in the report."""
    document: Document = {
        **head("preflight"),
        **exam_document(found),
        "command": found.command,
        "verdict": found.mark.value,
        "says": found.says,
        "counts": {mark.value: len(found.having(mark)) for mark in Mark},
        "checks": [_checked(one) for one in found.checked],
        "steps": found.steps,
        "seconds": number(round(found.seconds, 1)),
        "folder": found.folder,
        "notes": list(found.notes),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _checked(one: Checked) -> Json:
    return {
        "check": one.check.slug,
        "title": one.check.title,
        "part": one.check.part,
        "mark": one.mark.value,
        "causes": list(one.causes),
        "seen": [*map(_finding, one.findings), *_remark(one)],
    }


def _remark(one: Checked) -> list[Json]:
    if not one.says:
        return []
    evidence = evidence_documents(one.outcome.evidence)
    rest: Document = {"sign": None, "place": None, "causes": [], "evidence": evidence}
    return [{"mark": one.remark.value, "says": one.says, **rest}]


def _finding(one: Finding) -> Json:
    return {
        "mark": one.mark.value,
        "says": one.says,
        "sign": one.sign or None,
        "place": one.location or None,
        "causes": list(one.causes),
        "evidence": evidence_documents(one.evidence),
    }


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
    return {
        **told(one, "rate loss"),
        "fall": optional(found.share(one)),
        "ran_away": one.ran_away,
        **told(one.course, "broke losses"),
    }
