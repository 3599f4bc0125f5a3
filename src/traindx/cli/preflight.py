"""`traindx preflight`: what can be known before a long run, in a minute or two."""

import argparse
import os

from traindx.cli import BAD_INPUT, CONDITION_MET, DONE
from traindx.cli._options import add_documents, add_folder, add_in_place, add_option, add_program, words_of
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli._output import Maker
    from traindx.exams.preflight.types import Checklist

HELP = "rehearse a training for a few steps: check data, loss, model, loop, rate and cost before the long run"
EXAMPLES = """\
  traindx preflight train.py                   a checklist of two dozen checks, and a verdict
  traindx preflight --quick train.py           without the range test of the learning rate
  traindx preflight --fail-on fail train.py && python train.py   start the long run only where nothing fails
  traindx preflight --fail-on one-batch train.py    exit with 1 where this check does not pass
  traindx preflight --steps 400 train.py       look at more steps, to see a validation
  traindx preflight --json - train.py          as data, for programs
  traindx preflight -- torchrun --nproc-per-node 1 train.py   any command that trains with torch

Our options stand before the command; everything after its first word is the program's. It runs three times,
from its beginning and for a few steps: as it is; with the same batch at every step and no dropout; with a
rate that rises. It runs in copies of the working directory, so that what it wrote is left alone, but in the
directory itself with --in-place. Recordings are kept in .traindx/preflights."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of preflight."""
    add_program(parser, "preflight")
    add_option(parser, "--quick", "leave out the range test of the learning rate")
    add_option(
        parser,
        "--fail-on CONDITION",
        "exit with 1 where a check fails (fail), where one fails or warns (warn), or where the check of"
        " that name fails or warns; may be repeated",
        repeated=True,
    )
    add_option(parser, "--steps N", "steps of the program as it is (default: 100)", type=int, default=100)
    add_option(
        parser,
        "--seconds S",
        "about how long each of the three runs may take, its start aside (default: 20)",
        type=float,
        default=20.0,
    )
    add_in_place(parser)
    add_folder(parser, "rehearsal", "recordings", ".traindx/preflights")
    add_documents(parser, "preflight.md", "preflight.json", "preflight.html")


def run(arguments: argparse.Namespace) -> int:
    """Rehearse a command, and report on it; 1 where --fail-on is met, 2 where it cannot be run."""
    if os.name != "posix":
        raise TraindxError("needs Linux or macOS")
    from traindx.cli._output import places_of, progress_of, refuse_places
    from traindx.exams.preflight.run import preflight

    _refuse_nonsense(arguments)
    places = places_of(arguments, {kind: f"preflight.{kind}" for kind in ("md", "json", "html")})
    refuse_places(places, words_of(arguments))
    with progress_of("preflight", arguments.out) as progress:
        found = preflight(
            words_of(arguments),
            steps=arguments.steps,
            seconds=arguments.seconds,
            quick=arguments.quick,
            out=arguments.out,
            name=arguments.name,
            say=progress.say,
            in_place=arguments.in_place,
        )
    is_written = _tell(found, places)
    code = _gate(found, arguments)
    return code if is_written else BAD_INPUT


def _refuse_nonsense(arguments: argparse.Namespace) -> None:
    from traindx.errors import UnknownNameError
    from traindx.exams.preflight.run import checks

    known = ["fail", "warn", *(one.slug for one in checks())]
    for name in arguments.fail_on:
        if name not in known:
            todo = f"give fail, warn, or a check: {', '.join(known[2:])}"
            raise UnknownNameError("condition or check", name, known, todo=todo)


def _tell(found: "Checklist", places: dict[str, str]) -> bool:
    """Show the checklist, and write what was asked for; whether all of it was written."""
    from traindx.cli._output import coloured, publish, terminal_width, text_stream
    from traindx.report.documents.exams import checklist_document
    from traindx.report.html.exams import checklist_html
    from traindx.report.markdowns.exams import checklist_page
    from traindx.report.terminal.exams import checklist_text

    out = text_stream(places)
    out.write(checklist_text(found, width=terminal_width(out), colour=coloured(out)))
    makers: dict[str, Maker] = {
        "json": lambda: checklist_document(found),
        "md": lambda: checklist_page(found),
        "html": lambda: checklist_html(found),
    }
    return publish("preflight", places, makers)


def _gate(found: "Checklist", arguments: argparse.Namespace) -> int:
    """Say which conditions are met."""
    from traindx.cli._output import complain
    from traindx.finding import Mark

    least = {"fail": Mark.FAIL.rank, "warn": Mark.WARN.rank}
    met = False
    for name in arguments.fail_on:
        bad = [
            one.check.slug
            for one in found.checked
            if one.mark.rank >= least.get(name, Mark.WARN.rank) and name in (*least, one.check.slug)
        ]
        if bad:
            complain(arguments.command, f"--fail-on {name} is met by {', '.join(bad)}")
            met = True
    return CONDITION_MET if met else DONE
