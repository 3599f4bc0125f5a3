"""`traindx treat`: from a failing training to a proven fix."""

import argparse
import os
import sys

from traindx.cli import BAD_INPUT, DONE
from traindx.cli._options import add_outputs
from traindx.cli._program import add_program, words_of
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.treating import Treated, Wish

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
the program writes is left alone. Arms are kept in .traindx/treatments, cases in .traindx/cases.db."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of treat."""
    add_program(parser, "treat")
    parser.add_argument(
        "--steps", type=int, metavar="N", help="steps of every arm (default: the whole run, or 30 s of it)"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="about how long every arm is")
    parser.add_argument(
        "--seeds",
        type=int,
        default=3,
        metavar="N",
        help="pairs of arms for what looks promising (default: 3)",
    )
    parser.add_argument(
        "--trials", type=int, default=24, metavar="N", help="arms to run at most (default: 24)"
    )
    parser.add_argument(
        "--minutes", type=float, default=10.0, metavar="M", help="time to spend at most (default: 10)"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="CHANGE",
        help="try this change, whatever the diagnosis; may be repeated ('A + B' are both at once)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="diagnose, and say what would be tried and what it would cost"
    )
    parser.add_argument("--changes", action="store_true", help="list all changes, and end")
    parser.add_argument(
        "--apply", action="store_true", help="write the patch into the source, after showing it and asking"
    )
    parser.add_argument("--yes", action="store_true", help="with --apply: do not ask")
    parser.add_argument(
        "--force", action="store_true", help="with --apply: also where git has changes of the file"
    )
    parser.add_argument(
        "--save-model", metavar="FILE", help="keep the weights of the treated model, as torch saves them"
    )
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="where arms run: processes of this machine (default), or tasks of Ray",
    )
    parser.add_argument(
        "--address",
        metavar="HOST:PORT",
        help="with --engine ray: the head of a cluster, or auto for the one this machine is a node of"
        " (default: a Ray of its own on this machine)",
    )
    parser.add_argument(
        "--cpus-per-arm", type=int, metavar="N", help="with --engine ray: CPUs of each arm (default: 1)"
    )
    parser.add_argument(
        "--gpus-per-arm", type=float, metavar="N", help="with --engine ray: GPUs of each arm (default: none)"
    )
    parser.add_argument(
        "--name", metavar="NAME", help="what the treatment is called (default: as the script, numbered)"
    )
    parser.add_argument(
        "--out",
        default=".traindx/treatments",
        metavar="DIR",
        help="where treatments are kept (default: .traindx/treatments)",
    )
    add_outputs(parser)


def run(arguments: argparse.Namespace) -> int:
    """Treat a command, and report on it; 2 where it cannot be run."""
    from importlib.util import find_spec

    if not (find_spec("torch") and find_spec("libcst")):
        raise TraindxError("needs torch and libcst: pip install 'traindx[torch]'")
    if arguments.changes:
        return _list_changes()
    if os.name != "posix":
        raise TraindxError("needs Linux or macOS")
    from traindx.cli._writing import ProgressLine
    from traindx.treating import treat

    wish = _wish(arguments)
    progress = ProgressLine()
    try:
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
    except KeyboardInterrupt:
        progress.wipe()
        sys.stderr.write(f"traindx treat: interrupted; what was run is in {arguments.out}\n")
        return 130
    finally:
        progress.wipe()
    return _told(found, arguments)


def _wish(arguments: argparse.Namespace) -> "Wish":
    """What was asked for; refused where it makes no sense, before anything runs."""
    from itertools import chain
    from pathlib import Path

    from traindx.change import changes_from
    from traindx.operating import operation_of
    from traindx.treating import Wish

    for option, value in (
        ("steps", arguments.steps),
        ("seconds", arguments.seconds),
        ("seeds", arguments.seeds),
        ("trials", arguments.trials),
        ("minutes", arguments.minutes),
    ):
        if value is not None and not value > 0:
            raise TraindxError(f"--{option} {value}: is no number above 0")
    only = tuple(changes_from(text) for text in arguments.only)
    for change in chain.from_iterable(only):
        operation_of(change)
    return Wish(
        steps=arguments.steps,
        seconds=arguments.seconds,
        arms=arguments.trials,
        minutes=arguments.minutes,
        seeds=arguments.seeds,
        only=only,
        dry=arguments.dry_run,
        saves_model=Path(arguments.save_model) if arguments.save_model else None,
    )


def _list_changes() -> int:
    from traindx.operating import operations

    for one in sorted(operations().values(), key=lambda one: one.name):
        sys.stdout.write(f"{one.name}\n    {one.says}\n    for example: {'; '.join(one.forms)}\n")
    return DONE


def _told(found: "Treated", arguments: argparse.Namespace) -> int:
    """Show what came out, keep it beside the arms, and apply the patch where that was asked for."""
    from pathlib import Path

    from traindx.casebook import Casebook
    from traindx.cli._applying import apply_patch
    from traindx.cli._reporting import present
    from traindx.cli._writing import coloured, complain, terminal_width
    from traindx.keeping import keep
    from traindx.terminal.treatment import treatment_text

    # As the user would type it, not as it is known to all directories.
    folder = Path(arguments.out) / found.folder.name
    arguments.paths = [str(folder)]
    code = present(found.report, arguments, ())
    out = sys.stderr if "-" in (arguments.json, arguments.md) else sys.stdout
    if found.treatment.trials:
        patch = keep(found, folder)
        out.write(
            treatment_text(
                found.treatment,
                width=terminal_width(),
                colour=coloured(out),
                beliefs=found.beliefs,
                patch_place=str(patch or ""),
                everything=arguments.all,
            )
        )
    else:
        out.write(f"\n{_untreated(found, arguments.dry_run)}\n")
    for note in found.notes:
        out.write(f"note: {note}\n")
    applied = bool(arguments.apply and found.patch and apply_patch(found.patch, arguments, found.treatment))
    if arguments.apply and not found.patch:
        complain(arguments.command, "there is no proven patch to apply")
        code = code or BAD_INPUT
    try:
        Casebook().record(
            found.report.diagnoses[0], found.treatment, command=found.command, patch_applied=applied
        )
    except TraindxError as error:
        # The treatment counts without its case.
        complain(arguments.command, str(error))
    if found.treatment.trials:
        out.write(f"\nreports  {folder}\n")
    return code


def _untreated(found: "Treated", dry: bool) -> str:
    """Why nothing was tried, or what would be."""
    from traindx.change import name_of
    from traindx.diagnosis import Verdict

    diagnosis = found.report.diagnoses[0]
    if dry and found.plan:
        price = f"about {found.seconds:.0f} s for each arm; one pair, and more where it promises something"
        lines = [f"would try ({price}):"]
        for one in found.plan:
            because = f"; {one.because}" if one.because else ""
            lines.append(f"  {name_of(one.changes)}   {one.title} ({one.measure.value}){because}")
        return "\n".join(lines)
    if diagnosis.verdict is Verdict.HEALTHY:
        return "nothing to treat: the run is healthy (--only CHANGE tries a change all the same)"
    if not found.plan:
        return "nothing was tried: a machine can apply none of the fixes; the report says what to change"
    return "nothing was tried"
