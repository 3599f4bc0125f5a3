"""An exam as data, and its rows as a table."""

import csv
import io
import json

from traindx.exams.check import Checked
from traindx.exams.data_exam.types import Examination
from traindx.finding import Finding
from traindx.report.documents.exam import exam_document
from traindx.report.documents.value import Json, head


def examination_document(examination: Examination) -> str:
    """The exam as indented JSON."""
    document: Json = {
        **head("exam"),
        **exam_document(examination),
        "subject": examination.subject,
        "about": examination.about,
        "verdict": examination.verdict.value,
        "causes": list(examination.causes),
        "checks": [_check(check) for check in examination.checks],
        "notes": list(examination.notes),
    }
    # In letters of ASCII: a terminal would obey some of what names can hold.
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


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
