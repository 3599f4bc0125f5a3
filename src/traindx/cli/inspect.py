"""`traindx inspect`: what was read from logs."""

import argparse
import os
import sys

from traindx.cli import BAD_INPUT, DONE
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.loading.reading import Reading
    from traindx.report import Report

HELP = "show what a training left behind: runs, segments, quantities, facts, unread"
EXAMPLES = """\
  traindx inspect runs/                        every run below a folder
  traindx inspect train.log metrics.csv        single files, of any known format
  python train.py | traindx inspect -          standard input
  traindx inspect run.csv --map kappa=val_score  give a name its quantity
  traindx inspect runs/ --json -               as data, for programs
  traindx inspect train.log --follow           keep reading while it grows"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of inspect."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a log file, a folder, or - for standard input"
    )
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="NAME=QUANTITY",
        help="read the values called NAME as QUANTITY (docs/quantities.md lists them); may be repeated",
    )
    parser.add_argument("--follow", action="store_true", help="keep reading as the logs grow, until Ctrl-C")
    parser.add_argument("--all", action="store_true", help="shorten no list")
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON; - for standard output")
    parser.add_argument("--values", action="store_true", help="put every step and value into the JSON")
    parser.add_argument("--md", metavar="FILE", help="write the report as Markdown; - for standard output")


def run(arguments: argparse.Namespace) -> int:
    """Read the paths and show what is in them; 2 when nothing could be read."""
    from pathlib import Path

    from traindx.loading.reading import follow, read
    from traindx.settings import names_from, names_in

    names = {**names_in(Path.cwd()), **names_from(arguments.map)}
    if not arguments.follow:
        progress = ProgressLine(sys.stderr.isatty())
        reading = read(arguments.paths, names, progress)
        progress.wipe()
        return _show(reading, arguments)
    code = DONE
    try:
        for reading in follow(arguments.paths, names):
            if sys.stdout.isatty():
                sys.stdout.write("\x1b[2J\x1b[H")
            code = _show(reading, arguments)
            sys.stdout.flush()
    except KeyboardInterrupt:
        return code
    return code


class ProgressLine:
    """One line on the terminal that says what is being read, wiped when something else is printed."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown
        self._files = 0

    def __call__(self, path: str) -> None:
        """Say which file is being read, every few files."""
        self._files += 1
        if self._shown and self._files % 10 == 0:
            sys.stderr.write(f"\r\x1b[Kreading file {self._files:,}")
            sys.stderr.flush()

    def wipe(self) -> None:
        """Leave no trace on the terminal."""
        if self._shown and self._files >= 10:
            sys.stderr.write("\r\x1b[K")


def _show(reading: "Reading", arguments: argparse.Namespace) -> int:
    from traindx.renderers import json, markdown
    from traindx.report import Report

    report = Report(reading.runs, reading.problems, reading.other_files)
    if arguments.json:
        write(arguments.json, json.render(report, values=arguments.values) + "\n")
    if arguments.md:
        write(arguments.md, markdown.render(report))
    if "-" not in (arguments.json, arguments.md) and reading.runs:
        show(report, everything=arguments.all)
    if any(run.series for run in reading.runs):
        return DONE
    from traindx.renderers.text import problems

    for sentence in problems(report):
        sys.stderr.write(f"traindx inspect: {sentence}\n")
    return BAD_INPUT


def show(report: "Report", *, everything: bool = False) -> None:
    """Print a report as wide as the terminal, coloured only on a terminal."""
    import shutil

    from traindx.renderers import text

    width = min(shutil.get_terminal_size((80, 24)).columns, 120)
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    sys.stdout.write(text.render(report, width=width, colour=colour, everything=everything))


def write(path: str, content: str) -> None:
    """Write a report to a file, or to standard output for "-"."""
    if path == "-":
        sys.stdout.write(content)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        raise TraindxError(f"{path}: cannot be written ({error.strerror}); choose another place") from error
