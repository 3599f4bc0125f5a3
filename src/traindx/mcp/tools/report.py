"""`report`: a diagnosis as a document for people."""

from typing import Literal

from mcp_types import ToolAnnotations
from pydantic import Field

from traindx.errors import TraindxError
from traindx.mcp.arguments import Allowed, Call, Paths, RunName, Say, chosen, judged, off_loop, reading_of
from traindx.mcp.schema import Lean
from traindx.recorder.launch.command import new_run_folder
from traindx.report import markdown
from traindx.report.json import report as json
from traindx.report.pages import as_html, page_of
from traindx.trials.types import Report

TITLE = "Write a report for people"
HINTS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)

_SHOWN = 12_000
"""Characters of Markdown that are given back."""


class Reported(Lean):
    """Where a report is."""

    file: str
    bytes: int
    runs: int
    verdicts: list[str] = Field(description="One per run, at most 20.")
    text: str = Field(default="", description="The report, if it is Markdown; at most 12,000 characters.")


async def report(
    paths: Paths,
    call: Call,
    roots: Allowed,
    format: Literal["markdown", "html", "json"] = "markdown",  # noqa: A002  # what agents call it
    run: RunName = "",
) -> Reported:
    """Write a diagnosis as a report for people, and return its path.

    Markdown, a page with charts that works offline, or JSON (traindx.report/1), in a new folder below
    .traindx/reports.
    """

    def work(say: Say) -> Reported:
        reading = reading_of(roots, paths, say)
        runs = chosen(reading.runs, run)
        made = Report(runs, reading.problems, reading.other_files, tuple(judged(runs, say)))
        name, text = _rendered(made, format)
        file = new_run_folder(roots.output(roots.home, "reports"), "report") / name
        try:
            file.write_text(text, encoding="utf-8", errors="replace")
        except OSError as error:
            raise TraindxError(
                f"{file}: cannot be written ({error.strerror}); free disk space, or choose another --root"
            ) from error
        return Reported(
            file=roots.shown(file),
            bytes=file.stat().st_size,
            runs=len(runs),
            verdicts=[diagnosis.verdict.value for diagnosis in made.diagnoses[:20]],
            text=text[:_SHOWN] if format == "markdown" else "",
        )

    return await off_loop(call, work)


def _rendered(made: Report, kind: str) -> tuple[str, str]:
    if kind == "html":
        return "report.html", as_html(made)
    if kind == "json":
        return "report.json", json.render(made) + "\n"
    return "diagnostic_report.md", markdown.write(page_of(made))
