"""The report as Markdown, for issues, pull requests and `diagnostic_report.md`."""

from traindx.format import count
from traindx.report.markdowns.diagnosis import diagnosed, overview
from traindx.report.markdowns.run import compared, escape, reading
from traindx.report.markdowns.treatment import trials_chapter
from traindx.trials.types import Report

__all__ = ["escape", "render"]


def render(report: Report) -> str:
    """The report as one Markdown document."""
    parts = _body(report)
    if report.problems:
        parts += ["## Not read", "", *(f"- {escape(str(problem), 400)}" for problem in report.problems), ""]
    return "\n".join(parts)


def _body(report: Report) -> list[str]:
    if not report.diagnoses and not report.comparison:
        parts = ["# traindx: what was read", "", count(len(report.runs), "run") + ".", ""]
        return parts + [line for run in report.runs for line in reading(run)]
    parts = ["# traindx: comparison" if report.comparison else "# traindx: diagnosis", ""]
    if report.comparison:
        parts += compared(report.comparison)
    elif len(report.runs) > 1:
        parts += overview(report.runs, report.diagnoses)
    for index, (run, diagnosis) in enumerate(zip(report.runs, report.diagnoses, strict=False)):
        tried = trials_chapter(report.treatment) if report.treatment and index == 0 else []
        parts += diagnosed(run, diagnosis, tried)
    return parts
