"""Findings at lines of the source, for machines that show them there: SARIF and GitHub annotations."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from traindx import __version__
from traindx.cause import Cause
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.finding import Severity
from traindx.format import percent
from traindx.report.blocks import Paragraph
from traindx.report.fix import Fix, fix_for, line_to_change
from traindx.report.json.values import Document
from traindx.report.results.diagnosis import is_clear, page
from traindx.run import Run
from traindx.trials.types import Report

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d+)")


@dataclass(frozen=True)
class Annotation:
    """The cause of one run, at the line to change."""

    cause: Cause
    is_error: bool
    title: str
    message: str
    fingerprint: str
    file: str
    """The file to change; of a log, the log itself."""
    line: int | None


def annotations(report: Report) -> Iterator[Annotation]:
    """One for each run whose cause is clear: an error if the run is sick, a warning if it may be."""
    for run, diagnosis in zip(report.runs, report.diagnoses, strict=False):
        if diagnosis.verdict is not Verdict.HEALTHY and is_clear(diagnosis):
            yield _annotation(run, diagnosis)


def _annotation(run: Run, diagnosis: Diagnosis) -> Annotation:
    top = diagnosis.suspects[0]
    fix = fix_for(top.cause, run)
    match = _LINE.fullmatch(line_to_change(fix, top))
    is_harmful = top.severity.rank >= Severity.SERIOUS.rank
    return Annotation(
        top.cause,
        diagnosis.verdict is Verdict.SICK and is_harmful,
        f"{diagnosis.verdict.value.upper()} {percent(top.confidence)}: {top.cause.title}",
        _message(run, diagnosis, fix),
        top.fingerprint,
        PurePath(match["file"] if match else next(iter(run.sources), "")).as_posix(),
        int(match["line"]) if match else None,
    )


def _message(run: Run, diagnosis: Diagnosis, fix: Fix | None) -> str:
    """The sentence of the report, then the fix."""
    paragraphs = [block for block in page(run, diagnosis).screen if isinstance(block, Paragraph)]
    said = [paragraph.says for paragraph in paragraphs[:1]]
    if fix is None:
        return "\n".join(said)
    return "\n".join([*said, f"Fix: {fix.title}", *fix.diff])


def as_github(report: Report) -> str:
    """Workflow commands, one a line, which GitHub Actions shows at the lines of a pull request."""
    lines = []
    for annotation in annotations(report):
        at = {"file": annotation.file, "line": str(annotation.line)} if annotation.line else {}
        properties = {**at, "title": f"{annotation.title} [{annotation.cause.slug}]"}
        written = ",".join(f"{name}={_escaped(value, ',:')}" for name, value in properties.items())
        lines.append(
            f"::{'error' if annotation.is_error else 'warning'} {written}::{_escaped(annotation.message)}\n"
        )
    return "".join(lines)


def _escaped(text: str, also: str = "") -> str:
    """A text as workflow commands take it; a property ends at a comma or a colon."""
    return "".join(f"%{ord(letter):02X}" if letter in f"%\r\n{also}" else letter for letter in text)


def as_sarif(report: Report) -> str:
    """The SARIF 2.1.0 log of a report, with a rule for each cause and a fingerprint for each result."""
    every = list(annotations(report))
    causes = {annotation.cause.slug: annotation.cause for annotation in every}
    driver = {"name": "traindx", "version": __version__, "rules": [*map(_rule, causes.values())]}
    results = [_result(annotation, list(causes).index(annotation.cause.slug)) for annotation in every]
    document = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return f"{json.dumps(document, indent=2)}\n"


def _rule(cause: Cause) -> Document:
    return {
        "id": cause.slug,
        "shortDescription": {"text": cause.title},
        "fullDescription": {"text": cause.definition},
    }


def _result(annotation: Annotation, rule: int) -> Document:
    return {
        "ruleId": annotation.cause.slug,
        "ruleIndex": rule,
        "level": "error" if annotation.is_error else "warning",
        "message": {"text": f"{annotation.title}\n{annotation.message}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": annotation.file},
                    "region": {"startLine": annotation.line or 1},
                }
            }
        ],
        "partialFingerprints": {"traindx/v1": annotation.fingerprint},
    }
