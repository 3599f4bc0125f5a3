"""The page of a report: which result it holds decides which page it is; and what is kept of a treatment."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from traindx.errors import TraindxError, UnreadableError
from traindx.format import listed, printable
from traindx.report.blocks import Block, Command, Entry, Gap, Page, Tone
from traindx.report.results import after_treatment, comparison, diagnosis, runs
from traindx.report.results import treatment as treatments
from traindx.trials.types import Report

if TYPE_CHECKING:  # it loads libcst
    from traindx.trials.treatment import TreatResult


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


def as_markdown(report: Report, *, everything: bool = False) -> str:
    """The report as Markdown: what a pull request has room for, or everything."""
    from traindx.report.markdown import write

    return write(page_of(report), everything=everything)


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
        return treatments.page(*judged[0], report.treatment, report=kept)
    if len(judged) == 1:
        return diagnosis.page(*judged[0], report=kept)
    if runs.is_one_program(report.runs):
        return runs.trainings(judged, report=kept)
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
    lines = [
        diagnosis.summary(run, diagnosed)
        for run, diagnosed in zip(report.runs, report.diagnoses, strict=False)
    ]
    lines = lines or [runs.summary(run) for run in report.runs]
    return [f"{name}{printable(says, 400)}{where}" for name, says in zip(names, lines, strict=False)]


def keep(found: "TreatResult", folder: Path, name: str = "") -> Path | None:
    """Write reports, pictures of the trials and the patch into a folder; where the patch is, if any.

    `name` is what `traindx apply` calls the treatment from where the user is.
    """
    from traindx.report.html import writer
    from traindx.report.json.report import render
    from traindx.report.markdown import write

    treatment, judged = found.treatment, (found.report.runs[0], found.report.diagnoses[0])
    name = name or found.folder.name
    page = treatments.page(*judged, treatment, beliefs=found.beliefs, name=name, seconds=found.elapsed)
    documents: dict[str, str | bytes] = {
        "diagnostic_report.md": write(page, everything=True),
        "optimization_recommendations.md": write(
            after_treatment.recommendations(*judged, treatment), everything=True
        ),
        "report.html": writer.write(page),
        "report.json": render(found.report) + "\n",
    }
    if find_spec("matplotlib"):
        from traindx.report.png.treatment import trial_comparison

        picture = trial_comparison(treatment)
        documents |= {} if picture is None else {picture[0]: picture[1]}
    if treatment.patch:
        documents["fix.patch"] = treatment.patch
    for file, content in documents.items():
        _write(folder / file, content)
    return folder / "fix.patch" if treatment.patch else None


def _write(path: Path, content: str | bytes) -> None:
    try:
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
    except OSError as error:
        raise TraindxError(f"{path}: can't write it ({error.strerror}); choose another folder") from error
