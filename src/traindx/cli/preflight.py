"""`traindx preflight`: what can be known before a long run, in a minute or two."""

import argparse
import os

from traindx.cli import _options as options
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli._output import Maker
    from traindx.exams.preflight.types import Checklist

HELP = "check data, loss, model, training loop and cost in a few steps, before the long run"
EXAMPLES = """\
  traindx preflight train.py                   about two dozen checks and a verdict
  traindx preflight --quick train.py           skip the learning rate range test
  traindx preflight train.py && sbatch job.sh  start the long run only if nothing fails
  traindx preflight --fail-on one-batch train.py    exit code 1 unless this check passes
  traindx preflight --steps 400 train.py       run more steps, to reach a validation
  traindx preflight --json - train.py          as JSON
  traindx preflight -- torchrun --nproc-per-node 1 train.py   any command that trains with torch

Put traindx options before the script; everything after it is passed to the script. The program starts three
times, each for a few steps: unchanged; on one repeated batch without dropout; with a rising learning rate.
It runs in copies of the working directory (--in-place: in the directory itself). Recordings are kept in
.traindx/preflights."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of preflight."""
    options.add_program(parser, "preflight")
    options.add_option(parser, "--quick", "skip the learning rate range test")
    options.add_option(
        parser,
        "--fail-on RESULT",
        "exit with 1 if a check fails (fail, the default), if one fails or warns (warn), if the check of that"
        " name fails or warns, or never; may be repeated",
        repeated=True,
    )
    options.add_option(
        parser, "--steps N", "steps of the unchanged program (default: 100)", type=int, default=100
    )
    options.add_option(
        parser,
        "--seconds S",
        "time limit for each of the three runs, startup not counted (default: 20)",
        type=float,
        default=20.0,
    )
    options.add_in_place(parser)
    options.add_folder(parser, "rehearsal", "recordings", ".traindx/preflights")
    options.add_detail(parser, "ready or not, and the first failure")
    options.add_documents(parser, "preflight.md", "preflight.json", "preflight.html")


def run(arguments: argparse.Namespace) -> int:
    """Rehearse a command, and report on it; 1 if it is not ready or --fail-on is met, 2 if it cannot run."""
    if os.name != "posix":
        raise TraindxError("needs Linux or macOS")
    from traindx.cli._exam import FAIL, WARN, refuse_unknown_conditions
    from traindx.cli._output import places_of, refuse_places
    from traindx.cli._progress import progress_of
    from traindx.exams.preflight.run import checks, preflight

    options.note_misplaced(arguments)
    refuse_unknown_conditions(arguments.fail_on, FAIL, WARN, checks=[check.slug for check in checks()])
    places = places_of(arguments, {kind: f"preflight.{kind}" for kind in ("md", "json", "html")})
    refuse_places(places, options.words_of(arguments))
    with progress_of("preflight", arguments.out) as progress:
        checklist = preflight(
            options.words_of(arguments),
            steps=arguments.steps,
            seconds=arguments.seconds,
            quick=arguments.quick,
            out=arguments.out,
            name=arguments.name,
            say=progress.say,
            in_place=arguments.in_place,
        )
    return _tell(checklist, places, arguments)


def _tell(checklist: "Checklist", places: dict[str, str], arguments: argparse.Namespace) -> int:
    """Show the checklist, write what was asked for, and say which conditions are met; the exit code."""
    from traindx.cli._exam import wanted_conditions
    from traindx.cli._output import Result, publish_result
    from traindx.finding import Mark
    from traindx.report.json.results import checklist_document
    from traindx.report.results.exams import preflight_page, preflight_summary

    makers: dict[str, Maker] = {"json": lambda: checklist_document(checklist)}
    return publish_result(
        "preflight",
        arguments,
        places,
        Result(preflight_page(checklist), preflight_summary(checklist), makers),
        met=_met(checklist, wanted_conditions(arguments)),
        fails=checklist.mark is Mark.FAIL and not arguments.fail_on,
    )


def _met(checklist: "Checklist", conditions: "list[str]") -> "list[str]":
    """Which conditions are met, and by which checks."""
    from traindx.finding import Mark

    least = {"fail": Mark.FAIL.rank, "warn": Mark.WARN.rank}
    met = {
        name: [
            checked.check.slug
            for checked in checklist.checked
            if checked.mark.rank >= least.get(name, Mark.WARN.rank) and name in (*least, checked.check.slug)
        ]
        for name in conditions
    }
    return [f"--fail-on {name} is met by {', '.join(bad)}" for name, bad in met.items() if bad]
