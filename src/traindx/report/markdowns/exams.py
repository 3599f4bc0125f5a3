"""Exams and interviews as Markdown."""

from itertools import groupby

from traindx.exams.data_exam.types import Examination
from traindx.exams.learning_rate.types import FoundRate
from traindx.exams.preflight.types import Checklist
from traindx.exams.questions import Checked, is_bad
from traindx.finding import Finding, Mark, Severity
from traindx.format import count, duration, percent
from traindx.interview.types import Conclusion
from traindx.report.markdowns.run import bullets, chapter, ended, escape, prose, table
from traindx.report.problem_advice import advice, degree, mark
from traindx.report.results.learning_rate import heading, in_short, rows, verdict
from traindx.report.sheets import Sheet


def exam_markdown(sheet: Sheet) -> str:
    """The verdict with what to do, every row of the table, and the notes."""
    lines = [f"# {escape(sheet.title, 300)}", "", f"**{mark(sheet.problems).upper()}**", ""]
    if not sheet.problems:
        lines += [ended(prose(sheet.fine)), ""]
    for one in sheet.problems:
        todo = advice(one)
        said = [ended(prose(one.says)), *(["", ended(prose(todo))] if todo else [])]
        lines += chapter(f"{degree(one)}: {one.cause}", said)
    headings = [f"{one.heading}{':' if one.is_number else ''}" for one in sheet.columns]
    lines += [*table(headings, [[escape(cell) for cell in row] for row in sheet.rows]), ""]
    lines += [ended(prose(sheet.told)), ""]
    for title, remarks in sheet.sections:
        lines += chapter(title.capitalize(), bullets([prose(one) for one in remarks]))
    lines += chapter("Notes", bullets([prose(one) for one in sheet.notes]))
    return "\n".join(lines).rstrip() + "\n"


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
        [check.mark.value, prose(check.check.slug), prose(check.check.title), prose(check.answer)]
        for check in examination.checks
    ]
    lines += [*table(["mark", "check", "question", "answer"], rows), ""]
    for check in sorted(examination.checks, key=lambda one: -one.mark.rank):
        for fault in check.findings:
            word = "remark" if fault.degree is Severity.INFO else fault.degree.value
            lines += chapter(f"{check.check.slug}: {word}", _fault(fault))
    lines += chapter("Notes", bullets([prose(note) for note in examination.notes]))
    return "\n".join(lines).rstrip() + "\n"


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


_WORDS = {Mark.PASS: "pass", Mark.WARN: "**warn**", Mark.FAIL: "**FAIL**", Mark.UNSEEN: "not looked at"}


def checklist_page(found: Checklist) -> str:
    """The verdict, a table for each part, and what it cost."""
    lines = [f"# {prose(found.title)}: before the long run", "", f"**{prose(ended(found.says))}**", ""]
    for part, group in groupby(found.checked, key=lambda one: one.check.part):
        rows = [row for one in group for row in _rows(one)]
        lines += chapter(part.capitalize(), table(["", "check", "evidence"], rows))
    cost = f"{count(found.steps, 'step')} in {duration(found.seconds)}, over all runs of the program."
    lines += chapter("Cost", bullets([cost, *(prose(note) for note in found.notes)]))
    return "\n".join(lines).rstrip("\n") + "\n"


def _rows(one: Checked) -> list[list[str]]:
    lines = [(finding.mark, _evidence(finding)) for finding in one.findings]
    lines += [(one.remark, ended(prose(one.says)))] if one.says else []
    titles = [one.check.title, *[""] * (len(lines) - 1)]
    return [[_WORDS[mark], prose(title), told] for title, (mark, told) in zip(titles, lines, strict=True)]


def _evidence(finding: Finding) -> str:
    told = ended(prose(finding.says))
    if not is_bad(finding):
        return told
    causes = f" Points to {', '.join(finding.causes)}." if finding.causes else ""
    place = f" See {prose(finding.location)}." if finding.location else ""
    return f"{told}{causes}{place}"


def rate_page(found: FoundRate, *, title: str, seconds: float, change: str = "") -> str:
    """The answer, the trials it rests on, and what it cost."""
    lines = [
        f"# {prose(title)}: learning rate",
        "",
        f"**{prose(verdict(found))}**",
        "",
        ended(prose(found.why)),
        "",
    ]
    cells = [[row.rate, row.end, row.fall, prose(row.remark)] for row in rows(found)]
    lines += chapter("Trials", table(["rate:", f"{heading(found)}:", "fall:", ""], cells) if cells else [])
    told = in_short(found, seconds, change)
    lines += chapter("In short", bullets([f"{name}: {prose(line)}" for name, line in told]))
    return "\n".join(lines).rstrip("\n") + "\n"


def interview_page(conclusion: Conclusion) -> str:
    """The answer, the hypotheses with their reasons, the way there, claims, and what to do next."""
    consultation = conclusion.consultation
    lines = ["# Interview", "", f"**{prose(conclusion.says)}**", ""]
    for matter in consultation.outside:
        lines += chapter(
            "Another field", [ended(prose(f"{matter.called}: {matter.look}")), "", prose(matter.inside)]
        )
    ranked = [
        [f"`{one.cause.slug}`", percent(one.confidence), prose(one.cause.fixes[0].title)]
        for one in conclusion.hypotheses
    ]
    lines += chapter("Hypotheses", table(["cause", "confidence:", "if so, change"], ranked) if ranked else [])
    for one in conclusion.hypotheses[: int(conclusion.stands_out)]:
        why = [f"{line.points:+.1f} {prose(line.says)}" for line in one.reasons]
        lines += chapter(f"Why {one.cause.slug}", bullets(why))
        lines += chapter("What not to do", bullets([prose(wrong) for wrong in one.cause.what_not_to_do]))
    walked = [
        [
            prose(move.asks),
            prose(move.says),
            f"`{move.after.top.cause.slug}` {percent(move.after.top.confidence)}",
        ]
        for move in consultation.moves
    ]
    lines += chapter("Walked", table(["asked", "answer", "leads then"], walked) if walked else [])
    for checked in conclusion.claims:
        told = [prose(checked.says), *(prose(one) for one in checked.because)]
        told += [f"would change it: {prose(one)}" for one in checked.changes_mind]
        lines += chapter(f"Claim: {prose(checked.claim.says)}", bullets(told))
    todo = [f"`{one.line}`: {prose(one.tells)}" for one in conclusion.commands]
    if conclusion.experiment:
        todo.insert(0, prose(conclusion.experiment.experiment.does))
    lines += chapter("What to do next", bullets(todo))
    lines += chapter("Limits", bullets([prose(one) for one in conclusion.limits]))
    return "\n".join(lines).rstrip("\n") + "\n"
