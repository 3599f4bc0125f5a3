"""`traindx compare`: runs side by side."""

import argparse

from traindx.cli._options import add_judging, add_outputs, add_reading
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli._progress import ProgressLine
    from traindx.readers.loading.runs import Reading
    from traindx.trials.types import Report

_SHOWN = 3
"""Runs of a log that a message shows how to compare."""
HELP = "compare runs: best run, config differences, where they diverge"
EXAMPLES = """\
  traindx compare                              the last two recorded runs
  traindx compare runs/                        every run in a folder
  traindx compare before.csv after.csv         two logs
  traindx compare runs/ --html compare.html    as a page with curves
  traindx compare runs/ --json -               as JSON"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of compare."""
    add_reading(parser)
    add_judging(parser)
    add_outputs(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the paths, judge every run and lay them side by side; 2 when there are fewer than two."""
    from dataclasses import replace

    from traindx.cli._conditions import conditions_from
    from traindx.cli._report import judging, report_on
    from traindx.comparison.engine import compare

    judge = judging(arguments)

    def compared(reading: "Reading", progress: "ProgressLine") -> "Report":
        report = judge(reading, progress)
        if not report.runs:
            return report
        if len(report.runs) == 1:
            raise TraindxError(_only_one(report))
        return replace(report, comparison=compare(report.runs, report.diagnoses))

    return report_on(arguments, compared, conditions_from(arguments.fail_on))


def _only_one(report: "Report") -> str:
    from traindx.format import printable
    from traindx.report.pages import problem_lines

    sentence = f"found one run, {printable(report.runs[0].name)}"
    if report.runs[0].others:
        numbers = " ".join(f"--run {run.number}" for run in report.runs[0].in_log[:_SHOWN])
        held = len(report.runs[0].in_log)
        return f"{sentence}, of {held} in its log; choose those to compare: {numbers}"
    unread = "".join(f"; {sentence}" for sentence in problem_lines(report))
    return f"{sentence}{unread}; compare needs two or more: give more paths, or a folder of runs"
