"""A checklist before a long run, as JSON."""

import json

from traindx.exams.check import Checked
from traindx.exams.preflight.types import Checklist
from traindx.finding import Finding, Mark
from traindx.report.documents.diagnosis import evidence_documents
from traindx.report.documents.exam import exam_document
from traindx.report.documents.value import Document, Json, head, number


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
