"""A learning rate that was looked for, as a page that opens offline."""

from traindx.exams.learning_rate.types import FoundRate
from traindx.report.html.markup import Markup, fill
from traindx.report.html.plain import listing, picture, plain_page, table
from traindx.report.results.learning_rate import heading, in_short, rows, verdict


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
