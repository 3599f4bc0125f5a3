"""The report as JSON: the schema `traindx.report/1`.

Numbers that are not finite are the strings "NaN", "Infinity" and "-Infinity", as JSON has none of its own.
"""

import json
import re

from traindx.report.json.diagnosis import comparison_document, diagnosis_document
from traindx.report.json.values import Json, head, run_document
from traindx.trials.types import Report

# Valid in JSON as they are, but a terminal obeys some of them and no file can hold half a character.
_UNSEEN = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")


def render(report: Report, *, values: bool = False) -> str:
    """The report as indented JSON; with `values`, every point of every series."""
    runs = [run_document(run, values) for run in report.runs]
    for index, diagnosis in enumerate(report.diagnoses):
        tried = report.treatment if index == 0 else None
        runs[index] = {"name": diagnosis.run, **diagnosis_document(diagnosis, tried), **runs[index]}
    document: dict[str, Json] = {**head(_kind(report)), "runs": list(runs)}
    if report.diagnoses or report.comparison:
        document["comparison"] = comparison_document(report.comparison) if report.comparison else None
    document["problems"] = [{"where": p.where, "what": p.what, "todo": p.todo} for p in report.problems]
    document["other_files"] = report.other_files
    return as_text(document)


def _kind(report: Report) -> str:
    if report.treatment:
        return "treatment"
    if report.comparison:
        return "comparison"
    return "diagnosis" if report.diagnoses else "reading"


def as_text(document: dict[str, Json]) -> str:
    """A document as indented JSON that a terminal and a file can hold."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
