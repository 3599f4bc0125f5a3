"""A checklist before a long run, as a page that opens offline."""

from itertools import groupby

from traindx.exams.preflight.types import Checked, Checklist, Seen
from traindx.finding import Mark
from traindx.format import count, duration
from traindx.report.html.markup import Markup, fill
from traindx.report.html.plain import listing, plain_page, table

_VERDICTS = {Mark.PASS: "READY", Mark.WARN: "LOOK FIRST", Mark.FAIL: "NOT READY", Mark.UNSEEN: "UNKNOWN"}


def checklist_html(found: Checklist) -> str:
    """The verdict, a table for each part, and what it cost."""
    parts: list[Markup] = []
    for part, group in groupby(found.checked, key=lambda one: one.check.part):
        rows = [row for one in group for row in _rows(one)]
        parts.append(fill("<h3>{part}</h3>", part=part.value.capitalize()))
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
    titles = [one.check.title, *[""] * (len(one.seen) - 1)]
    return [[seen.mark.value, title, _evidence(seen)] for title, seen in zip(titles, one.seen, strict=True)]


def _evidence(seen: Seen) -> str:
    if seen.mark not in (Mark.WARN, Mark.FAIL):
        return seen.says
    causes = f"; points to {', '.join(seen.causes)}" if seen.causes else ""
    return f"{seen.says}{causes}" + (f"; see {seen.place}" if seen.place else "")
