"""`traindx lr-find`: a learning rate that short trainings speak for."""

import argparse
import os

from traindx.cli import BAD_INPUT, DONE
from traindx.cli._options import add_documents, add_folder, add_in_place, add_option, add_program, words_of
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli._output import Maker
    from traindx.exams.learning_rate.program import ProgramRate

HELP = "look for a learning rate by a range test and short trainings, without changing the program"
EXAMPLES = """\
  traindx lr-find train.py                     a range test, five short trainings, and the rate they speak for
  traindx lr-find --steps 1200 train.py        four times as long: for programs that learn slowly at first
  traindx lr-find --png rate.png train.py      with a picture of the range test and of the trials
  traindx lr-find --json - train.py            as data, for programs
  traindx lr-find -- python -m package.train   any command that trains with torch

Our options stand before the command; everything after its first word is the program's. Each of six runs is
the same command with the same seed, ended after a few steps; it runs in a copy of the working directory, so
that what the program wrote is left alone, but in the directory itself with --in-place.
Groups of parameters keep their ratios, and schedules go on. Recordings are kept in .traindx/rates."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of lr-find."""
    add_program(parser, "lr-find")
    add_option(
        parser,
        "--steps N",
        "optimizer steps to take altogether (default: 300, a quarter of them in the range test)",
        type=int,
        default=300,
    )
    add_option(parser, "--minutes M", "time to spend at most (default: 10)", type=float, default=10.0)
    add_in_place(parser)
    add_folder(parser, "search", "recordings", ".traindx/rates")
    add_documents(parser, "learning_rate.md", "learning_rate.json", "learning_rate.html")
    add_option(
        parser,
        "--png FILE",
        "draw the range test and the trials (in a folder: learning_rate.png); needs matplotlib"
        " (traindx[plots])",
    )


def run(arguments: argparse.Namespace) -> int:
    """Look for a rate of a command, and report on it; 2 where it cannot be run."""
    if os.name != "posix":
        raise TraindxError("needs Linux or macOS")
    from traindx.cli._output import places_of, progress_of, refuse_places
    from traindx.exams.learning_rate.program import lr_find

    if not arguments.minutes > 0:
        raise TraindxError(f"--minutes {arguments.minutes}: is no number above 0")
    places = places_of(arguments, {kind: f"learning_rate.{kind}" for kind in ("md", "json", "png", "html")})
    refuse_places(places, words_of(arguments))
    with progress_of("lr-find", arguments.out) as progress:
        found = lr_find(
            words_of(arguments),
            steps=arguments.steps,
            minutes=arguments.minutes,
            out=arguments.out,
            name=arguments.name,
            say=progress.say,
            in_place=arguments.in_place,
        )
    return DONE if _tell(found, places) else BAD_INPUT


def _tell(program: "ProgramRate", places: dict[str, str]) -> bool:
    """Show the search, and write what was asked for; whether all of it was written."""
    from traindx.cli._output import coloured, publish, terminal_width, text_stream
    from traindx.report.terminal.learning_rate import rate_text

    found, change = program.found, _change(program)
    out = text_stream(places)
    out.write(
        rate_text(
            found,
            title=program.title,
            seconds=program.seconds,
            change=change,
            prove=_proof(program),
            width=terminal_width(),
            colour=coloured(out),
        )
    )
    return publish("lr-find", places, _makers(program, change))


def _makers(program: "ProgramRate", change: str) -> "dict[str, Maker]":
    """What each output is made by."""
    from importlib.util import find_spec

    from traindx.report.documents.exams import rate_document
    from traindx.report.html.exams import rate_html
    from traindx.report.markdowns.exams import rate_page

    found, title, seconds = program.found, program.title, program.seconds

    def html() -> str:
        drawn = _picture(program) if find_spec("matplotlib") else None
        return rate_html(found, drawn, title=title, seconds=seconds, change=change)

    def json() -> str:
        return rate_document(
            found,
            command=program.command,
            seconds=seconds,
            change=change,
            patch=program.patch.diff if program.patch else "",
            folder=str(program.folder),
        )

    return {
        "json": json,
        "md": lambda: rate_page(found, title=title, seconds=seconds, change=change),
        "png": lambda: _picture(program),
        "html": html,
    }


def _picture(program: "ProgramRate") -> bytes:
    from traindx.report.png.learning_rate import rate_picture

    return rate_picture(program.found, title=program.title)


def _change(program: "ProgramRate") -> str:
    if program.patch is not None:
        return program.patch.says
    return f"not written as source: {program.no_patch}" if program.no_patch else ""


def _proof(program: "ProgramRate") -> str:
    """The command that tries the suggestion over whole runs and several seeds."""
    found = program.found
    if found.suggested is None or found.suggested == found.current:
        return ""
    return f'traindx treat --only "optimizer.lr {found.suggested:g}" {program.typed}'
