"""A learning rate that was looked for, as Markdown."""

from traindx.exams.learning_rate.types import FoundRate
from traindx.report.markdowns.literal import bullets, chapter, ended, prose, table
from traindx.report.results.learning_rate import heading, in_short, rows, verdict


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
