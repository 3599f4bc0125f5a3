"""Exams, preflight and the learning-rate test as pages."""

from itertools import groupby

from traindx.exams.data_exam.types import Examination
from traindx.exams.learning_rate.types import FoundRate
from traindx.exams.preflight.types import Checklist
from traindx.exams.questions import Checked, is_bad
from traindx.finding import Finding, Mark, Severity
from traindx.format import count, duration
from traindx.report.html.markup import Markup, code, fill, joined
from traindx.report.html.plain import listing, picture, plain_page, table
from traindx.report.problem_advice import advice, degree, mark
from traindx.report.results.learning_rate import heading, in_short, rows, verdict
from traindx.report.sheets import Sheet


def exam_page(sheet: Sheet, drawn: bytes | None) -> str:
    """The verdict with what to do, the picture, every row of the table, and the notes."""
    return plain_page(
        kind=f"exam of {'a model' if sheet.kind == 'model' else sheet.kind}",
        subject=sheet.title,
        verdict=mark(sheet.problems).upper(),
        about="" if sheet.problems else sheet.fine,
        body=[
            *(_problem(one) for one in sheet.problems),
            picture(drawn, f"the {sheet.kind} of each layer"),
            table(
                [one.heading for one in sheet.columns],
                sheet.rows,
                [one.is_number for one in sheet.columns],
            ),
            fill("<p>{told}.</p>", told=sheet.told),
            *(listing(heading.capitalize(), lines) for heading, lines in sheet.sections),
            listing("Notes", sheet.notes),
        ],
    )


def _problem(one: Finding) -> Markup:
    todo = advice(one)
    return fill(
        "<h3>{degree}: {cause}</h3><p>{says}.</p>{todo}",
        degree=degree(one),
        cause=one.cause,
        says=one.says,
        todo=fill("<p>{todo}.</p>", todo=todo) if todo else Markup(),
    )


_ROWS = 50


def examination_page(examination: Examination, drawn: bytes | None) -> str:
    """The whole page; it needs nothing else, and runs no script."""
    rows = [(check.mark.value, check.check.slug, check.answer) for check in examination.checks]
    return plain_page(
        kind="exam of data",
        subject=examination.subject,
        verdict=examination.verdict.value.upper(),
        about=examination.about,
        body=[
            picture(drawn, "the data in pictures"),
            table(["mark", "check", "answer"], rows),
            *(
                _fault(check, fault)
                for check in sorted(examination.checks, key=lambda one: -one.mark.rank)
                for fault in check.findings
            ),
            listing("Notes", examination.notes),
        ],
    )


def _fault(check: Checked, fault: Finding) -> Markup:
    word = "remark" if fault.degree is Severity.INFO else fault.degree.value
    shown = [
        fill("<li>{where}: {reason}</li>", where=row.name or str(row.index), reason=row.reason)
        for row in fault.samples[:_ROWS]
    ]
    more = len(fault.samples) - _ROWS
    shown += [fill("<li>and {more} more</li>", more=f"{more:,}")] if more > 0 else []
    return fill(
        "<h3>{name}: {word}</h3><p>{says}.</p><p>{todo}.</p>{code}{rows}{cause}",
        name=check.check.slug,
        word=word,
        says=fault.says,
        todo=fault.todo,
        code=fill("<pre><code>{code}</code></pre>", code=code(fault.code)) if fault.code else Markup(),
        rows=fill(
            "<details><summary>{count} rows</summary><ul>{rows}</ul></details>",
            count=f"{len(fault.samples):,}",
            rows=joined(shown),
        )
        if shown
        else Markup(),
        cause=fill("<p>It leads to <code>{cause}</code>.</p>", cause=fault.cause)
        if fault.cause
        else Markup(),
    )


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


def rate_html(found: FoundRate, drawn: bytes | None, *, title: str, seconds: float, change: str = "") -> str:
    """The answer, the picture, the trials it rests on, and what it cost."""
    cells = [[row.rate, row.end, row.fall, row.remark] for row in rows(found)]
    trials = table(["rate", heading(found), "fall", ""], cells, [True, True, True]) if cells else Markup()
    return plain_page(
        kind="learning rate",
        subject=title,
        verdict=verdict(found),
        about="",
        body=[
            fill("<p>{why}.</p>", why=found.why.removesuffix(".")),
            picture(drawn, "the range test and the trials"),
            trials,
            listing("In short", [f"{name}: {line}" for name, line in in_short(found, seconds, change)]),
        ],
    )
