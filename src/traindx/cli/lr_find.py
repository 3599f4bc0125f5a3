"""`traindx lr-find`: a learning rate, chosen by short training runs."""

import argparse
import os

from traindx.cli import _options as options
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli._output import Maker
    from traindx.exams.learning_rate.program import ProgramRate
    from traindx.exams.preflight.types import Checklist
    from traindx.finding import Finding

HELP = "find a learning rate with a range test and short runs, without changing the program"
EXAMPLES = """\
  traindx lr-find train.py                     a range test, five short runs, and the best learning rate
  traindx lr-find --steps 1200 train.py        four times as long, for programs that learn slowly at first
  traindx lr-find --png rate.png train.py      with a plot of the range test and of the short runs
  traindx lr-find --json - train.py            as JSON
  traindx lr-find -- python -m package.train   any command that trains with torch

Put traindx options before the script; everything after it is passed to the script. The program runs six
times with the same seed and stops after a few steps, in a copy of the working directory (--in-place: in the
directory itself). Parameter groups keep their ratios, and schedules stay active. If a preflight check fails,
lr-find names the bug and stops: no learning rate repairs it (--force tunes anyway).
Recordings are kept in .traindx/rates."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of lr-find."""
    options.add_program(parser, "lr-find")
    options.add_option(
        parser,
        "--steps N",
        "optimizer steps to take altogether (default: 300, a quarter of them in the range test)",
        type=int,
        default=300,
    )
    options.add_option(parser, "--minutes M", "time to spend at most (default: 10)", type=float, default=10.0)
    options.add_in_place(parser)
    options.add_folder(parser, "search", "recordings", ".traindx/rates")
    options.add_option(parser, "--force", "tune even if the preflight checks fail")
    options.add_detail(parser, "the learning rate and the line to change")
    options.add_documents(parser, "learning_rate.md", "learning_rate.json", "learning_rate.html")
    options.add_option(
        parser,
        "--png FILE",
        "draw the range test and the trials (in a folder: learning_rate.png); needs matplotlib"
        " (traindx[plots])",
    )


def run(arguments: argparse.Namespace) -> int:
    """Find a learning rate and report on it; 1 if a bug must be fixed first, 2 if the program cannot run."""
    if os.name != "posix":
        raise TraindxError("needs Linux or macOS")
    from traindx.cli._output import places_of, refuse_places
    from traindx.cli._progress import progress_of
    from traindx.exams.learning_rate.program import lr_find, refuse_few
    from traindx.exams.preflight.run import bugs_at_any_rate, first_checks

    options.note_misplaced(arguments)
    refuse_few(arguments.steps)
    if not arguments.minutes > 0:
        raise TraindxError(f"--minutes must be greater than 0, got {arguments.minutes:g}")
    places = places_of(arguments, {kind: f"learning_rate.{kind}" for kind in ("md", "json", "png", "html")})
    refuse_places(places, options.words_of(arguments))
    with progress_of("lr-find", arguments.out) as progress:
        if not arguments.force:
            checklist = first_checks(
                options.words_of(arguments),
                out=os.path.join(arguments.out, "preflight"),
                name=arguments.name,
                say=progress.say,
                in_place=arguments.in_place,
            )
            bugs = bugs_at_any_rate(checklist)
            if bugs:
                progress.wipe()
                return _refuse(checklist, bugs[0], places, arguments)
        program_rate = lr_find(
            options.words_of(arguments),
            steps=arguments.steps,
            minutes=arguments.minutes,
            out=arguments.out,
            name=arguments.name,
            say=progress.say,
            in_place=arguments.in_place,
        )
    return _tell(program_rate, places, arguments)


def _refuse(
    checklist: "Checklist", bug: "Finding", places: dict[str, str], arguments: argparse.Namespace
) -> int:
    """Say which bug to fix before the learning rate is tuned; the checks are the data."""
    import shlex

    from traindx.cli._output import Result, publish_result
    from traindx.report.json.results import checklist_document
    from traindx.report.results.learning_rate import refusal

    page = refusal(checklist, bug, shlex.join(options.words_of(arguments)))
    at = f" ({bug.location})" if bug.location else ""
    summary = f"NOT TUNED preflight failed: {bug.says}{at}"
    # There is no range test to draw.
    drawable = {option: path for option, path in places.items() if option != "png"}
    makers: dict[str, Maker] = {"json": lambda: checklist_document(checklist)}
    return publish_result("lr-find", arguments, drawable, Result(page, summary, makers), fails=True)


def _tell(program: "ProgramRate", places: dict[str, str], arguments: argparse.Namespace) -> int:
    """Show the search, and write what was asked for; the exit code."""
    from traindx.cli._exam import can_draw
    from traindx.cli._output import Result, publish_result
    from traindx.report.json.results import rate_document
    from traindx.report.png.learning_rate import rate_picture
    from traindx.report.results.learning_rate import page, summary

    def picture() -> bytes:
        return rate_picture(program.found, title=program.title)

    makers: dict[str, Maker] = {"json": lambda: rate_document(program), "png": picture}
    result = Result(
        page(program),
        summary(program),
        makers,
        lambda: page(program, picture() if can_draw(arguments) else None),
    )
    return publish_result("lr-find", arguments, places, result)
