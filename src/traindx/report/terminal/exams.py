"""Exams and preflight as text."""

from collections.abc import Sequence
from itertools import groupby

from rich import box
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from traindx.exams.data_exam.types import Examination
from traindx.exams.preflight.types import Checklist
from traindx.exams.questions import Checked, is_bad
from traindx.finding import Finding, Mark, Severity
from traindx.format import count, duration, printable
from traindx.report.problem_advice import FAIL, PASS, WARN, advice, degree, is_known, mark
from traindx.report.sheets import Sheet
from traindx.report.terminal.paper import fitted, indented, paper, printed, section

_CHECK_STYLES = {Mark.PASS: "green", Mark.WARN: "yellow", Mark.FAIL: "bold red", Mark.UNSEEN: "dim"}
_WORDS = {Mark.PASS: "pass", Mark.WARN: "warn", Mark.FAIL: "FAIL", Mark.UNSEEN: "-"}
_VERDICTS = {Mark.PASS: "READY", Mark.WARN: "LOOK FIRST", Mark.FAIL: "NOT READY", Mark.UNSEEN: "UNKNOWN"}
_CHECK_WIDTH = 600


def checklist_text(found: Checklist, *, width: int = 80, colour: bool = False) -> str:
    """All checks as text of a given width."""
    console = paper(width, colour)
    console.print(Text.assemble("traindx · ", (printable(found.title), "bold"), " · before the long run"))
    console.print()
    verdict = Text.assemble(
        (_VERDICTS[found.mark], _CHECK_STYLES[found.mark]), "   ", printable(found.says, _CHECK_WIDTH)
    )
    console.print(verdict)
    console.print()
    for part, group in groupby(found.checked, key=lambda one: one.check.part):
        console.print(indented(Text(part, "dim")))
        _print(console, list(group))
    console.print()
    section(console, "legend", "- is what was not looked at, with the reason beside it")
    causes = tuple(dict.fromkeys(slug for one in found.checked for slug in one.causes))
    if causes:
        section(console, "read more", *[f"traindx explain {slug}" for slug in causes[:4]])
    section(
        console,
        "cost",
        f"{count(found.steps, 'step')} in {duration(found.seconds)}, over all runs of the program",
    )
    section(console, "notes", *[printable(note, _CHECK_WIDTH) for note in found.notes])
    return printed(console)


def _print(console: Console, group: list[Checked]) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=4)
    grid.add_column(width=max(15, *(len(one.check.slug) for one in group)))
    grid.add_column(overflow="fold", ratio=1)
    for one in group:
        lines = [(finding.mark, _line(finding)) for finding in one.findings]
        if one.says:
            style = "" if one.outcome.is_told else "dim"
            lines.append((one.remark, Text(printable(one.says, _CHECK_WIDTH), style)))
        slug = Text(one.check.slug, _CHECK_STYLES[one.mark] if one.mark.rank > Mark.PASS.rank else "")
        for remark, line in lines:
            grid.add_row(Text(_WORDS[remark], _CHECK_STYLES[remark]), slug, line)
            slug = Text("")
    console.print(indented(grid, 3))


def _line(finding: Finding) -> Text:
    line = Text(printable(finding.says, _CHECK_WIDTH))
    points = [", ".join(finding.causes), finding.location]
    told = " at ".join(printable(one, 200) for one in points if one)
    return line.append(f"  [{told}]", "dim") if told and is_bad(finding) else line


_STYLES = {PASS: "bold green", WARN: "bold yellow", FAIL: "bold red"}
_LONG = 1000
_ROWS = 40
_WIDE = 110
"""From this width on there is room for all columns."""


def exam_text(sheet: Sheet, *, width: int, colour: bool, everything: bool) -> str:
    """The sheet as text of a given width."""
    console = paper(width, colour)
    _print_verdict(console, sheet)
    _print_table(console, sheet, wide=width >= _WIDE, most=len(sheet.rows) if everything else _ROWS)
    for heading, lines in sheet.sections:
        section(console, heading, *lines)
    section(console, "notes", *(printable(one, _LONG) for one in sheet.notes))
    return printed(console)


def _print_verdict(console: Console, sheet: Sheet) -> None:
    """A line on what was examined, the mark, and each problem with what to do about it."""
    console.print(Text.assemble("traindx · ", (printable(sheet.title, 300), "bold")))
    console.print()
    if not sheet.problems:
        found = mark(sheet.problems)
        console.print(Text.assemble((found.upper(), _STYLES[found]), f"   {sheet.fine}"))
    for one in sheet.problems:
        word = degree(one)
        console.print(Text.assemble((f"{word.upper():5}", _STYLES.get(word, "bold")), f"  {one.cause}"))
        console.print(indented(Text(printable(one.says, _LONG)), 7))
        page = f" (traindx explain {one.cause})" if is_known(one) else ""
        if todo := advice(one):
            console.print(indented(Text(f"do: {printable(todo, _LONG)}{page}", style="dim"), 7))


def _print_table(console: Console, sheet: Sheet, *, wide: bool, most: int) -> None:
    """The table, what its columns are, and how many rows are not shown."""
    kept = [place for place, column in enumerate(sheet.columns) if wide or not column.is_extra]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for column in (sheet.columns[place] for place in kept):
        table.add_column(
            column.heading,
            justify="right" if column.is_number else "left",
            no_wrap=column.is_number,
            overflow="fold",
        )
    shown = chosen(sheet.named, len(sheet.rows), most)
    for row in (sheet.rows[place] for place in shown):
        table.add_row(*(Text(row[place]) for place in kept))
    console.print(indented(table))
    hidden = len(sheet.rows) - len(shown)
    more = f"; {hidden:,} more rows (--all lists them)" if hidden else ""
    console.print(indented(Text(f"{sheet.told}{more}", style="dim")))
    console.print()


def chosen(places: Sequence[int], total: int, most: int) -> list[int]:
    """The rows to show: those that are named, and others spread evenly over the rest, in order."""
    if total <= most:
        return list(range(total))
    kept = dict.fromkeys([0, total - 1, *places[: most // 2]])
    left = most - len(kept)
    kept |= dict.fromkeys(round(number * (total - 1) / max(left - 1, 1)) for number in range(left))
    return sorted(kept)


_DATA_ROWS = 8
_BESIDE = 18
"""Columns that stand left of what a section says."""


def examination_text(examination: Examination, *, width: int = 80, colour: bool = False) -> str:
    """The exam as text of a given width."""
    console = paper(width, colour)
    _head(console, examination)
    console.print(_table(examination))
    for check in sorted(examination.checks, key=lambda one: -one.mark.rank):
        for fault in check.findings:
            _fault(console, check, fault)
    if examination.notes:
        console.print()
    section(console, "notes", *(printable(note, _CHECK_WIDTH) for note in examination.notes))
    return printed(console)


def _head(console: Console, examination: Examination) -> None:
    console.print(Text.assemble("traindx · ", (printable(examination.subject, 200), "bold")))
    console.print(Text(printable(examination.about, _CHECK_WIDTH)))
    console.print()
    asked = [check for check in examination.checks if check.mark is not Mark.UNSEEN]
    bad = [check for check in asked if check.mark in (Mark.WARN, Mark.FAIL)]
    verdict = examination.verdict
    told = (
        f"{len(bad)} of {count(len(asked), 'check')} found something"
        if bad
        else f"{count(len(asked), 'check')}"
    )
    console.print(Text.assemble((verdict.value.upper(), _CHECK_STYLES[verdict]), f"   {told}"))
    console.print()


def _table(examination: Examination) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for check in examination.checks:
        mark = "-" if check.mark is Mark.UNSEEN else check.mark.value
        quiet = "dim" if check.mark is Mark.UNSEEN else ""
        table.add_row(
            Text(mark, style=_CHECK_STYLES[check.mark]),
            Text(check.check.slug, style=quiet),
            Text(printable(_answer(check), _CHECK_WIDTH), style=quiet),
        )
    return table


def _answer(check: Checked) -> str:
    """What stands beside the check in the table."""
    return check.says if check.mark is Mark.PASS else check.answer


def _fault(console: Console, check: Checked, fault: Finding) -> None:
    """What is wrong, what to do, and where; a remark in two lines."""
    console.print()
    style = _CHECK_STYLES[check.mark] if fault.degree is not Severity.INFO else "dim"
    word = "remark" if fault.degree is Severity.INFO else fault.degree.value
    told = "" if fault.says == _answer(check) else f": {printable(fault.says, _CHECK_WIDTH)}"
    console.print(Text.assemble((word, style), "  ", (check.check.slug, "bold"), told))
    section(console, "do", printable(fault.todo, _CHECK_WIDTH))
    if fault.code:
        width = console.width - _BESIDE
        code = fitted(fault.code, width)
        shown = Syntax(code, "python", theme="ansi_light", background_color="default").highlight(code)
        shown.rstrip()
        console.print(indented(shown if console.color_system else Text(code), _BESIDE))
    if fault.samples:
        rows = [f"{row.name or row.index}" for row in fault.samples[:_DATA_ROWS]]
        more = (
            f" and {len(fault.samples) - _DATA_ROWS:,} more (--export lists them)"
            if len(fault.samples) > _DATA_ROWS
            else ""
        )
        section(console, "rows", printable(f"{fault.samples[0].part} {', '.join(rows)}{more}", _CHECK_WIDTH))
    if fault.cause and fault.degree is not Severity.INFO:
        section(console, "leads to", f"{fault.cause}: traindx explain {fault.cause}")
