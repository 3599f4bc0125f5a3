"""A checklist before a long run, as Markdown."""

from itertools import groupby

from traindx.exams.preflight.types import Checked, Checklist, Seen
from traindx.finding import Mark
from traindx.format import count, duration
from traindx.report.markdowns.literal import bullets, chapter, ended, prose, table

_WORDS = {Mark.PASS: "pass", Mark.WARN: "**warn**", Mark.FAIL: "**FAIL**", Mark.UNSEEN: "not looked at"}


def checklist_page(found: Checklist) -> str:
    """The verdict, a table for each part, and what it cost."""
    lines = [f"# {prose(found.title)}: before the long run", "", f"**{prose(ended(found.says))}**", ""]
    for part, group in groupby(found.checked, key=lambda one: one.check.part):
        rows = [row for one in group for row in _rows(one)]
        lines += chapter(part.value.capitalize(), table(["", "check", "evidence"], rows))
    cost = f"{count(found.steps, 'step')} in {duration(found.seconds)}, over all runs of the program."
    lines += chapter("Cost", bullets([cost, *(prose(note) for note in found.notes)]))
    return "\n".join(lines).rstrip("\n") + "\n"


def _rows(one: Checked) -> list[list[str]]:
    titles = [one.check.title, *[""] * (len(one.seen) - 1)]
    return [
        [_WORDS[seen.mark], prose(title), _evidence(seen)]
        for title, seen in zip(titles, one.seen, strict=True)
    ]


def _evidence(seen: Seen) -> str:
    is_bad = seen.mark in (Mark.WARN, Mark.FAIL)
    causes = f" Points to {', '.join(seen.causes)}." if seen.causes and is_bad else ""
    place = f" See {prose(seen.place)}." if seen.place and is_bad else ""
    return f"{ended(prose(seen.says))}{causes}{place}"
