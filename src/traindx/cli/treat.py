"""`traindx treat`: from a failing training to a proven fix."""

import argparse
import os
import sys

from traindx.cli import DONE
from traindx.cli import _options as options
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.trials.treatment import TreatOptions

HELP = "diagnose a script, try fixes in short paired trials, and write the proven patch"
EXAMPLES = """\
  traindx treat train.py                       diagnose, try the fixes, prove one
  traindx treat --dry-run train.py             show what would be tried and how long it takes
  traindx treat --steps 300 --seeds 5 train.py trial runs of 300 steps, 5 seeds
  traindx treat --only "optimizer.lr x 0.1" --only "gradients.clip 1" train.py   only these changes
  traindx treat --apply train.py               apply the proven patch, after asking
  traindx treat --changes                      list every change that can be tried
  traindx treat -- python -m package.train     any command that trains with torch
  traindx treat --engine ray train.py          trial runs as Ray tasks; --address HOST:PORT for a cluster

Put traindx options before the script; everything after it is passed to the script. A trial run is the same
command with the same seed and at most one change, in a copy of the project (with --in-place, in the project
itself). Trial runs are kept in .traindx/treatments, results in .traindx/cases.db. The same command
reuses trial runs that finished within a day. traindx apply applies a proven patch later."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of treat."""
    options.add_program(parser, "treat")
    _add_budget(parser)
    _add_trials(parser)
    _add_fix(parser)
    _add_engine(parser)
    options.add_in_place(parser)
    options.add_folder(parser, "treatment", "treatments", ".traindx/treatments")
    options.add_outputs(parser)


def _add_budget(parser: argparse.ArgumentParser) -> None:
    """How much is run."""
    options.add_option(
        parser, "--steps N", "steps per trial run (default: the whole run, or 30 s of it)", type=int
    )
    options.add_option(parser, "--seconds S", "approximate length of a trial run", type=float)
    options.add_option(parser, "--seeds N", "seeds for a promising fix (default: 3)", type=int, default=3)
    options.add_option(
        parser, "--trials N", "maximum number of trial runs (default: 24)", type=int, default=24
    )
    options.add_option(parser, "--minutes M", "time limit (default: 10)", type=float, default=10.0)


def _add_trials(parser: argparse.ArgumentParser) -> None:
    """What is tried."""
    options.add_option(
        parser,
        "--only CHANGE",
        "try this change, whatever the diagnosis ('A + B' tries both at once); may be repeated",
        repeated=True,
    )
    options.add_option(parser, "--dry-run", "diagnose, then show what would be tried and how long it takes")
    options.add_option(parser, "--changes", "list all changes and exit")


def _add_fix(parser: argparse.ArgumentParser) -> None:
    """What becomes of a proven fix."""
    options.add_option(parser, "--apply", "apply the proven patch to the source, after asking")
    options.add_option(parser, "--yes", "with --apply: don't ask")
    options.add_option(parser, "--force", "with --apply: even if git has uncommitted changes of the file")
    options.add_option(parser, "--save-model FILE", "save the weights of the fixed model (torch.save)")


def _add_engine(parser: argparse.ArgumentParser) -> None:
    """Where arms run."""
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="run trials as local processes (default) or as Ray tasks",
    )
    options.add_option(
        parser,
        "--address HOST:PORT",
        "with --engine ray: the head node, or auto for the cluster of this machine (default: start Ray here)",
    )
    options.add_option(
        parser, "--cpus-per-arm N", "with --engine ray: CPUs per trial run (default: 1)", type=int
    )
    options.add_option(
        parser, "--gpus-per-arm N", "with --engine ray: GPUs per trial run (default: 0)", type=float
    )


def run(arguments: argparse.Namespace) -> int:
    """Treat a command, and report on it; 2 where it cannot be run."""
    from importlib.util import find_spec

    if not (find_spec("torch") and find_spec("libcst")):
        raise TraindxError("needs torch and libcst: pip install -e '.[torch]' in a checkout of traindx")
    if arguments.changes:
        return _list_changes()
    if os.name != "posix":
        raise TraindxError("Linux or macOS only")
    from functools import partial

    from traindx.cli._progress import ProgressLine, kept_on_interrupt

    # What follows takes a second to load.
    starting = ProgressLine()
    starting.say("starting")
    from traindx.cli._treatment import show_diagnosis, tell
    from traindx.cli._trial_line import TrialLine
    from traindx.trials.treatment import treat

    starting.wipe()
    options.note_misplaced(arguments)
    wish = _wish(arguments)
    _refuse_places(arguments)
    _refuse_unasked(arguments)
    line = TrialLine(arguments.minutes, partial(show_diagnosis, arguments=arguments))
    with kept_on_interrupt("treat", arguments.out), line:
        result = treat(
            options.words_of(arguments),
            wish,
            out=arguments.out,
            name=arguments.name,
            say=line.say,
            watcher=line,
            # With whether the patch was applied, when that is known.
            keeps_case=False,
            engine=arguments.engine,
            address=arguments.address,
            cpus_per_arm=arguments.cpus_per_arm,
            gpus_per_arm=arguments.gpus_per_arm,
        )
    return tell(result, arguments)


def _wish(arguments: argparse.Namespace) -> "TreatOptions":
    """What was asked for; refused where it makes no sense, before anything runs."""
    from pathlib import Path

    from traindx.trials.treatment import TreatOptions

    return TreatOptions(
        steps=arguments.steps,
        seconds=arguments.seconds,
        arms=arguments.trials,
        minutes=arguments.minutes,
        seeds=arguments.seeds,
        only=tuple(arguments.only),
        dry=arguments.dry_run,
        saves_model=Path(arguments.save_model) if arguments.save_model else None,
        in_place=arguments.in_place,
    )


def _refuse_places(arguments: argparse.Namespace) -> None:
    """What has nowhere to go is better known of before the first arm than after the last."""
    from traindx.cli._output import refuse_unwritable
    from traindx.cli._report import refuse_report_places

    refuse_report_places(arguments)
    if arguments.save_model is None:
        return
    refuse_unwritable([arguments.save_model])
    if os.path.isdir(arguments.save_model):
        raise TraindxError(f"--save-model {arguments.save_model}: is a folder; give a file")


def _refuse_unasked(arguments: argparse.Namespace) -> None:
    """Whether the source may be changed has to be known before minutes are spent on a patch of it."""
    if arguments.apply:
        if not arguments.yes and not sys.stdin.isatty():
            raise TraindxError("no terminal to confirm the change to the source; add --yes")
        return
    for option in ("yes", "force"):
        if getattr(arguments, option):
            raise TraindxError(f"--{option} needs --apply")


def _list_changes() -> int:
    from traindx.changes.types import known_changes

    fixes = [change for change in known_changes().values() if change.is_fix]
    for change in sorted(fixes, key=lambda candidate: candidate.name):
        sys.stdout.write(f"{change.name}\n    {change.says}\n    for example: {'; '.join(change.forms)}\n")
    return DONE
