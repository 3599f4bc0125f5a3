"""An exam of a model as a page that opens offline, with its picture inside."""

from traindx.finding import Finding
from traindx.report.html.markup import Markup, fill
from traindx.report.html.plain import listing, picture, plain_page, table
from traindx.report.problem_advice import advice, degree, mark
from traindx.report.sheets.sheet import Sheet


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
