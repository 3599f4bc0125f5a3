"""`traindx treat`: from a failing training to a proven fix."""

import argparse
import os
import sys

from traindx.cli import DONE
from traindx.cli._options import add_folder, add_in_place, add_option, add_outputs, add_program, words_of
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.trials.treatment import TreatOptions

HELP = "diagnose a training, try fixes in paired short trials, and write the patch of the one that is proven"
EXAMPLES = """\
  traindx treat train.py                       diagnose it, try what the diagnosis asks for, prove it
  traindx treat --dry-run train.py             only say what would be tried, and what it would cost
  traindx treat --steps 300 --seeds 5 train.py arms of 300 steps, five pairs of them
  traindx treat --only "optimizer.lr x 0.1" --only "gradients.clip 1" train.py   these changes alone
  traindx treat --apply train.py               write the proven patch into the source, after asking
  traindx treat --changes                      list every change a machine can apply
  traindx treat -- python -m package.train     any command that trains with torch
  traindx treat --engine ray train.py          arms as tasks of Ray; --address HOST:PORT on a cluster

Our options stand before the command; everything after its first word is the program's. Every arm is the same
command with the same seed and at most one change; it runs in a copy of the working directory, so that what
the program wrote is left alone, but in the directory itself with --in-place. Arms are kept in
.traindx/treatments, cases in .traindx/cases.db."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of treat."""
    add_program(parser, "treat")
    _add_budget(parser)
    _add_trials(parser)
    _add_fix(parser)
    _add_engine(parser)
    add_in_place(parser)
    add_folder(parser, "treatment", "treatments", ".traindx/treatments")
    add_outputs(parser)


def _add_budget(parser: argparse.ArgumentParser) -> None:
    """How much is run."""
    add_option(parser, "--steps N", "steps of every arm (default: the whole run, or 30 s of it)", type=int)
    add_option(parser, "--seconds S", "about how long every arm is", type=float)
    add_option(
        parser, "--seeds N", "pairs of arms for what looks promising (default: 3)", type=int, default=3
    )
    add_option(parser, "--trials N", "arms to run at most (default: 24)", type=int, default=24)
    add_option(parser, "--minutes M", "time to spend at most (default: 10)", type=float, default=10.0)


def _add_trials(parser: argparse.ArgumentParser) -> None:
    """What is tried."""
    add_option(
        parser,
        "--only CHANGE",
        "try this change, whatever the diagnosis; may be repeated ('A + B' are both at once)",
        repeated=True,
    )
    add_option(parser, "--dry-run", "diagnose, and say what would be tried and what it would cost")
    add_option(parser, "--changes", "list all changes, and end")


def _add_fix(parser: argparse.ArgumentParser) -> None:
    """What becomes of a proven fix."""
    add_option(parser, "--apply", "write the patch into the source, after showing it and asking")
    add_option(parser, "--yes", "with --apply: do not ask")
    add_option(parser, "--force", "with --apply: also where git has changes of the file")
    add_option(parser, "--save-model FILE", "keep the weights of the treated model, as torch saves them")


def _add_engine(parser: argparse.ArgumentParser) -> None:
    """Where arms run."""
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="where arms run: processes of this machine (default), or tasks of Ray",
    )
    add_option(
        parser,
        "--address HOST:PORT",
        "with --engine ray: the head of a cluster, or auto for the one this machine is a node of"
        " (default: a Ray of its own on this machine)",
    )
    add_option(parser, "--cpus-per-arm N", "with --engine ray: CPUs of each arm (default: 1)", type=int)
    add_option(parser, "--gpus-per-arm N", "with --engine ray: GPUs of each arm (default: none)", type=float)


def run(arguments: argparse.Namespace) -> int:
    """Treat a command, and report on it; 2 where it cannot be run."""
    from importlib.util import find_spec

    if not (find_spec("torch") and find_spec("libcst")):
        raise TraindxError("needs torch and libcst: pip install 'traindx[torch]'")
    if arguments.changes:
        return _list_changes()
    if os.name != "posix":
        raise TraindxError("needs Linux or macOS")
    from traindx.cli._output import progress_of
    from traindx.cli._treatment import tell
    from traindx.trials.treatment import treat

    wish = _wish(arguments)
    _refuse_places(arguments)
    _refuse_unasked(arguments)
    with progress_of("treat", arguments.out) as progress:
        found = treat(
            words_of(arguments),
            wish,
            out=arguments.out,
            name=arguments.name,
            say=progress.say,
            # With whether the patch was applied, when that is known.
            keeps_case=False,
            engine=arguments.engine,
            address=arguments.address,
            cpus_per_arm=arguments.cpus_per_arm,
            gpus_per_arm=arguments.gpus_per_arm,
        )
    return tell(found, arguments)


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
        raise TraindxError(f"--save-model {arguments.save_model}: is a folder; name a file in it")


def _refuse_unasked(arguments: argparse.Namespace) -> None:
    """Whether the source may be changed has to be known before minutes are spent on a patch of it."""
    if arguments.apply:
        if not arguments.yes and not sys.stdin.isatty():
            raise TraindxError("--apply: nobody can be asked here whether to change the source; add --yes")
        return
    for option in ("yes", "force"):
        if getattr(arguments, option):
            raise TraindxError(f"--{option}: is for --apply")


def _list_changes() -> int:
    from traindx.changes.types import known_changes

    fixes = [one for one in known_changes().values() if one.is_fix]
    for one in sorted(fixes, key=lambda one: one.name):
        sys.stdout.write(f"{one.name}\n    {one.says}\n    for example: {'; '.join(one.forms)}\n")
    return DONE
