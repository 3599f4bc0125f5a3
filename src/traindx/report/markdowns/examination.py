"""An exam as Markdown."""

from traindx.exams.check import Checked
from traindx.exams.data_exam.types import Examination
from traindx.finding import Finding, Severity
from traindx.report.markdowns.literal import bullets, chapter, ended, escape, prose, table

_ROWS = 20


def examination_markdown(examination: Examination) -> str:
    """Every check, and what is wrong with what to do."""
    lines = [
        f"# Exam: {escape(examination.subject, 200)}",
        "",
        f"**{examination.verdict.value.upper()}**: {prose(examination.about)}.",
        "",
    ]
    rows = [
        [check.mark.value, prose(check.check.slug), prose(check.check.title), prose(_told(check))]
        for check in examination.checks
    ]
    lines += [*table(["mark", "check", "question", "answer"], rows), ""]
    for check in sorted(examination.checks, key=lambda one: -one.mark.rank):
        for fault in check.findings:
            word = "remark" if fault.degree is Severity.INFO else fault.degree.value
            lines += chapter(f"{check.check.slug}: {word}", _fault(fault))
    lines += chapter("Notes", bullets([prose(note) for note in examination.notes]))
    return "\n".join(lines).rstrip() + "\n"


def _told(check: Checked) -> str:
    worst = max(check.findings, key=lambda fault: fault.degree.rank, default=None)
    return check.says if worst is None else worst.says


def _fault(fault: Finding) -> list[str]:
    lines = [ended(prose(fault.says)), "", ended(prose(fault.todo))]
    if fault.code:
        lines += ["", "```python", fault.code.strip("\n"), "```"]
    if fault.columns:
        lines += ["", f"Columns: {', '.join(escape(name, 60) for name in fault.columns[:_ROWS])}."]
    if fault.samples:
        shown = [
            f"{escape(row.name or str(row.index), 80)}: {prose(row.reason)}" for row in fault.samples[:_ROWS]
        ]
        more = len(fault.samples) - _ROWS
        lines += [
            "",
            f"Rows of {fault.samples[0].part}:",
            "",
            *bullets(shown + ([f"and {more:,} more"] if more > 0 else [])),
        ]
    return [*lines, "", f"It leads to `{fault.cause}`."] if fault.cause else lines
