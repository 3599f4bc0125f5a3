"""An exam as Markdown."""

from traindx.exams.data_exam.types import Check, Examination, Fault
from traindx.finding import Severity
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
        [check.mark.value, prose(check.name), prose(check.asks), prose(_told(check))]
        for check in examination.checks
    ]
    lines += [*table(["mark", "check", "question", "answer"], rows), ""]
    for check in sorted(examination.checks, key=lambda one: -one.mark.rank):
        for fault in check.faults:
            word = "remark" if fault.severity is Severity.INFO else fault.severity.value
            lines += chapter(f"{check.name}: {word}", _fault(fault))
    lines += chapter("Notes", bullets([prose(note) for note in examination.notes]))
    return "\n".join(lines).rstrip() + "\n"


def _told(check: Check) -> str:
    worst = max(check.faults, key=lambda fault: fault.severity.rank, default=None)
    return check.says if worst is None else worst.says


def _fault(fault: Fault) -> list[str]:
    lines = [ended(prose(fault.says)), "", ended(prose(fault.todo))]
    if fault.code:
        lines += ["", "```python", fault.code.strip("\n"), "```"]
    if fault.columns:
        lines += ["", f"Columns: {', '.join(escape(name, 60) for name in fault.columns[:_ROWS])}."]
    if fault.rows:
        shown = [
            f"{escape(row.item or str(row.index), 80)}: {prose(row.reason)}" for row in fault.rows[:_ROWS]
        ]
        more = len(fault.rows) - _ROWS
        lines += [
            "",
            f"Rows of {fault.rows[0].part}:",
            "",
            *bullets(shown + ([f"and {more:,} more"] if more > 0 else [])),
        ]
    return [*lines, "", f"It leads to `{fault.cause}`."] if fault.cause else lines
