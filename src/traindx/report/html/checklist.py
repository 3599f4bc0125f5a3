"""A checklist before a long run, as a page that opens offline."""

from itertools import groupby

from traindx.exams.check import Checked, is_bad
from traindx.exams.preflight.types import Checklist
from traindx.finding import Finding, Mark
from traindx.format import count, duration
from traindx.report.html.markup import Markup, fill
from traindx.report.html.plain import listing, plain_page, table

_VERDICTS = {Mark.PASS: "READY", Mark.WARN: "LOOK FIRST", Mark.FAIL: "NOT READY", Mark.UNSEEN: "UNKNOWN"}


def checklist_html(found: Checklist) -> str:
    """The verdict, a table for each part, and what it cost."""
    parts: list[Markup] = []
    for part, group in groupby(found.checked, key=lambda one: one.check.part):
        rows = [row for one in group for row in _rows(one)]
        parts.append(fill("<h3>{part}</h3>", part=part.capitalize()))
        parts.append(table(["mark", "check", "evidence"], rows))
    cost = f"{count(found.steps, 'step')} in {duration(found.seconds)}, over all runs of the program"
    return plain_page(
        kind="before the long run",
        subject=found.title,
        verdict=_VERDICTS[found.mark],
        about=found.says,
        body=[*parts, listing("Cost", [cost]), listing("Notes", found.notes)],
    )


def _rows(one: Checked) -> list[list[str]]:
    lines = [(finding.mark, _evidence(finding)) for finding in one.findings]
    lines += [(one.remark, one.says)] if one.says else []
    titles = [one.check.title, *[""] * (len(lines) - 1)]
    return [[mark.value, title, told] for title, (mark, told) in zip(titles, lines, strict=True)]


def _evidence(finding: Finding) -> str:
    if not is_bad(finding):
        return finding.says
    causes = f"; points to {', '.join(finding.causes)}" if finding.causes else ""
    return f"{finding.says}{causes}" + (f"; see {finding.location}" if finding.location else "")
