"""An exam of data as a page that opens offline, with its picture inside."""

from traindx.exams.check import Checked
from traindx.exams.data_exam.types import Examination
from traindx.finding import Finding, Severity
from traindx.report.html.markup import Markup, code, fill, joined
from traindx.report.html.plain import listing, picture, plain_page, table

_ROWS = 50


def examination_page(examination: Examination, drawn: bytes | None) -> str:
    """The whole page; it needs nothing else, and runs no script."""
    rows = [(check.mark.value, check.check.slug, _told(check)) for check in examination.checks]
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


def _told(check: Checked) -> str:
    worst = max(check.findings, key=lambda fault: fault.degree.rank, default=None)
    return check.says if worst is None else worst.says


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
