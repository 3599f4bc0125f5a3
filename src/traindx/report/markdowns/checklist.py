"""A checklist before a long run, as Markdown."""

from itertools import groupby

from traindx.exams.check import Checked, is_bad
from traindx.exams.preflight.types import Checklist
from traindx.finding import Finding, Mark
from traindx.format import count, duration
from traindx.report.markdowns.literal import bullets, chapter, ended, prose, table

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
