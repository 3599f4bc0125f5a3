"""The page of a report: which result it holds decides which page it is."""

from dataclasses import replace

from traindx.errors import UnreadableError
from traindx.format import listed, printable
from traindx.report.blocks import Block, Command, Entry, Gap, Page, Tone
from traindx.report.results import comparison, diagnosis, runs, treatment
from traindx.trials.types import Report


def page_of(report: Report, *, kept: str = "") -> Page:
    """The page of what was read, diagnosed or compared; `kept` is where the whole of it was written."""
    page = _page(report, kept)
    problems = tuple(Entry("NOT READ", says, tone=Tone.DOUBT) for says in problem_lines(report))
    gap = (Gap(),) if problems and page.screen and not isinstance(page.screen[-1], Gap) else ()
    return replace(
        page, screen=(*page.screen, *gap, *problems), most_lines=page.most_lines + 2 * len(problems)
    )


def as_html(report: Report) -> str:
    """The report as one HTML file that opens offline: complete without script, with charts to zoom into."""
    # Not before it is needed: it reads what pages are made of.
    from traindx.report.html.writer import write

    return write(page_of(report))


def _page(report: Report, kept: str) -> Page:
    judged = list(zip(report.runs, report.diagnoses, strict=False))
    where: tuple[Block, ...] = (Command("report", kept, is_path=True),) if kept else ()
    if report.comparison:
        page = comparison.page(report.comparison, report.runs)
        each = runs.overview(judged) if judged else Page("", ())
        return replace(
            page,
            screen=(*page.screen, *where),
            sections=(*page.sections, *each.sections),
            references=each.references,
        )
    if not judged:
        page = runs.reading(report.runs)
        return replace(page, screen=(*page.screen, *where))
    if report.treatment and report.treatment.trials:
        return treatment.page(*judged[0], report.treatment, report=kept)
    if len(judged) == 1:
        return diagnosis.page(*judged[0], report=kept)
    page = runs.overview(judged)
    return replace(page, screen=(*page.screen, *where))


def problem_lines(report: Report) -> list[str]:
    """One sentence for each thing that is wrong, however many files have it."""
    where: dict[tuple[str, str], list[str]] = {}
    for problem in report.problems:
        where.setdefault((problem.what, problem.todo), []).append(problem.where)
    return [
        printable(str(UnreadableError(listed(paths, 2), what, todo)), 600)
        for (what, todo), paths in where.items()
    ]


def quiet_lines(report: Report, kept: str = "") -> list[str]:
    """A line for each run: verdict, cause, confidence, file and line, and where the report is.

    Of runs that were only read, it says what was read.
    """
    where = f" · {kept}" if kept else ""
    names = [f"{printable(run.name, 60)}: " if len(report.runs) > 1 else "" for run in report.runs]
    told = [diagnosis.summary(run, one) for run, one in zip(report.runs, report.diagnoses, strict=False)]
    told = told or [runs.summary(run) for run in report.runs]
    return [f"{name}{printable(says, 400)}{where}" for name, says in zip(names, told, strict=False)]
