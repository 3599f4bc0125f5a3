"""The report for a terminal or a pipe."""

from rich.console import Console
from rich.text import Text

from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.errors import UnreadableError
from traindx.format import count, listed, printable
from traindx.report.terminal.comparison import print_comparison, print_overview
from traindx.report.terminal.diagnosis import print_diagnosis
from traindx.report.terminal.paper import paper, printed
from traindx.report.terminal.reading import print_reading
from traindx.run import Run
from traindx.trials.types import Report

_DETAILED = 8
"""With more runs than this, only the overview is printed."""


def render(report: Report, *, width: int = 80, colour: bool = False, everything: bool = False) -> str:
    """The report as text of a given width; with `everything`, no list is shortened."""
    console = paper(width, colour)
    if report.comparison:
        print_comparison(console, report.comparison, everything)
    elif not report.diagnoses:
        for run in report.runs:
            print_reading(console, run, everything)
    if report.diagnoses and (everything or not report.comparison):
        _diagnoses(console, report, everything)
    for sentence in problems(report):
        console.print(Text.assemble(("not read  ", "yellow"), sentence))
    console.print(Text(_closing(report), style="dim"))
    return printed(console)


def problems(report: Report) -> list[str]:
    """One sentence for each thing that is wrong, however many places have it."""
    places: dict[tuple[str, str], list[str]] = {}
    for problem in report.problems:
        places.setdefault((problem.what, problem.todo), []).append(problem.where)
    return [
        printable(str(UnreadableError(listed(where, 2), what, todo)), 600)
        for (what, todo), where in places.items()
    ]


def _diagnoses(console: Console, report: Report, everything: bool) -> None:
    pairs = list(zip(report.runs, report.diagnoses, strict=True))
    if len(pairs) > 1:
        print_overview(console, report.runs, report.diagnoses)
    detailed = [pair for pair in pairs if _in_detail(pair, len(pairs), everything)]
    for run, diagnosis in detailed:
        print_diagnosis(console, run, diagnosis, everything)
    hidden = len(pairs) - len(detailed)
    if hidden:
        console.print(Text(f"{count(hidden, 'run')} not shown in detail (--all shows them)", style="dim"))


def _in_detail(pair: tuple[Run, Diagnosis], runs: int, everything: bool) -> bool:
    return everything or runs == 1 or (runs <= _DETAILED and pair[1].verdict is Verdict.SICK)


def _closing(report: Report) -> str:
    points = sum(len(series) for run in report.runs for series in run.series)
    read = f"{count(len(report.runs), 'run')}, {count(points, 'point')}"
    problems = f" · {count(len(report.problems), 'place')} could not be read" if report.problems else ""
    others = f" · {count(report.other_files, 'other file')} beside" if report.other_files else ""
    return read + problems + others
