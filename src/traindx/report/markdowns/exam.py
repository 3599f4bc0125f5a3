"""An exam of a model as Markdown."""

from traindx.report.markdowns.literal import bullets, chapter, ended, escape, prose, table
from traindx.report.problem_advice import advice, degree, mark
from traindx.report.sheets.sheet import Sheet


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
    for heading, remarks in sheet.sections:
        lines += chapter(heading.capitalize(), bullets([prose(one) for one in remarks]))
    lines += chapter("Notes", bullets([prose(one) for one in sheet.notes]))
    return "\n".join(lines).rstrip() + "\n"
