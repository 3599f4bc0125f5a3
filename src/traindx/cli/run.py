"""`traindx run`: record a command and diagnose it."""

import argparse
import os

from traindx.cli import BAD_INPUT, CONDITION_MET, DONE
from traindx.cli import _options as options
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from traindx.cli._conditions import Condition
    from traindx.cli._live import Live
    from traindx.cli._progress import ProgressLine
    from traindx.cli._report import Judge
    from traindx.recorder.launch.child import Ending, Mask
    from traindx.recorder.launch.command import Command

HELP = "record and diagnose a training script"
EXAMPLES = """\
  traindx run train.py --lr 0.1                a script, with its own arguments
  traindx run -m package.train --epochs 3      a module
  traindx run -- torchrun --nproc-per-node 2 train.py  any command that trains with torch
  traindx run --max-steps 200 train.py         the first 200 steps, for a quick look
  traindx run --fail-on sick:0.8 train.py      stop once it is sick, exit code 1 (for CI)
  traindx run --no-live train.py               no live alerts; diagnose at the end only
  traindx run --json - train.py > run.json     as JSON

Put traindx options before the script; everything after it is passed to the script.
Output, exit code and signals pass through unchanged; the report goes to standard error. With --json - or
--md - the report goes to standard output, and the program's own output to standard error.
With --fail-on, a program that ends well but recorded nothing gives exit code 2.
While the program runs, the recording is diagnosed from time to time. A likely and serious cause is reported
once, on standard error, after two diagnoses in a row; it is retracted if it no longer holds."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of run."""
    options.add_program(parser, "run")
    options.add_folder(parser, "run", "runs", ".traindx/runs")
    options.add_option(
        parser,
        "--budget PERCENT",
        "share of the program's CPU time that recording may take (default: 2)",
        type=_share,
        default=0.02,
    )
    options.add_option(
        parser,
        "--every N",
        "sample the layers every N steps (default: densely at first, then less often)",
        type=_steps("--every 100"),
    )
    options.add_option(
        parser,
        "--max-steps N",
        "stop the program after N optimizer steps, with exit code 0 unless --fail-on is met",
        type=_steps("--max-steps 200"),
    )
    parser.add_argument(
        "--no-live", dest="live", action="store_false", help="no live alerts; diagnose at the end only"
    )
    options.add_judging(parser, follows=False)
    options.add_exams(parser)
    options.add_outputs(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command to its end and report on it; 2 if it cannot be started, else its exit code or 1."""
    if os.name != "posix":
        raise TraindxError("needs Linux or macOS; elsewhere call traindx.watch(model, optimizer)")
    from contextlib import suppress
    from pathlib import Path

    from traindx.cli._output import complain
    from traindx.cli._progress import ProgressLine
    from traindx.recorder.launch.child import end_like, signals_held
    from traindx.recorder.launch.command import command_from, new_run_folder
    from traindx.recorder.launch.outcome import stopped

    options.note_misplaced(arguments)
    with signals_held() as mask:
        # Not before signals are held back: numpy, which it needs, starts threads.
        from traindx.cli._live import live_judge
        from traindx.cli._run_report import report_on

        judge, conditions = _checked(arguments)
        command = command_from(options.words_of(arguments), os.environ)
        folder = new_run_folder(Path(arguments.out), command.name, arguments.name)
        live = live_judge(folder, judge, conditions) if arguments.live else None
        progress = ProgressLine()
        ending = _recorded(command, folder, arguments, mask, live, progress)
        enough = bool(stopped(folder))
    met = live.met if live is not None else None
    code = report_on(folder, command, ending, judge, [] if met else conditions, arguments, progress)
    if met is not None:
        with suppress(OSError):
            complain(arguments.command, met.afterward)
        return CONDITION_MET
    if code == CONDITION_MET:
        return code
    # A program that was cut short on purpose ends well, however it took that.
    if conditions and code is None and (enough or ending.code == 0):
        return _unjudged(arguments)
    return DONE if enough else end_like(ending)


def _unjudged(arguments: argparse.Namespace) -> int:
    """A gate does not open because nobody could look."""
    from contextlib import suppress

    from traindx.cli._output import complain

    with suppress(OSError):
        complain(arguments.command, f"nothing to judge for --fail-on {arguments.fail_on[0]}")
    return BAD_INPUT


def _checked(arguments: argparse.Namespace) -> "tuple[Judge, list[Condition]]":
    """Refuse what is wrong with the options before the program starts, which may run for days."""
    from traindx.cli._conditions import conditions_from
    from traindx.cli._report import judging, refuse_report_places

    refuse_report_places(arguments)
    return judging(arguments), conditions_from(arguments.fail_on)


def _recorded(
    command: "Command",
    folder: "Path",
    arguments: argparse.Namespace,
    mask: "Mask",
    live: "Live | None",
    progress: "ProgressLine",
) -> "Ending":
    """Start the command and wait for its end."""
    from contextlib import nullcontext

    from traindx.cli._run_report import say_at_once
    from traindx.readers.loading.files import CONSOLE
    from traindx.recorder.launch.child import run_to_end
    from traindx.recorder.launch.command import recording_environment
    from traindx.recorder.launch.outcome import note_ending, stopped
    from traindx.recorder.launch.process_tree import Reminder
    from traindx.recorder.launch.streams import Console
    from traindx.recorder.launch.traces import (
        OpenFiles,
        beginning,
        discard,
        keep_written,
        note_outcome,
        note_program,
    )

    environment = recording_environment(
        os.environ, folder, budget=arguments.budget, every=arguments.every, most_steps=arguments.max_steps
    )
    taken = "-" in (arguments.json, arguments.md)
    reminder = Reminder(lambda: stopped(folder) if arguments.max_steps else [])

    files = OpenFiles()

    def meanwhile(program: int) -> None:
        files.look(program)
        reminder.carry_out(program)
        if live is not None:
            live.stop.carry_out(program)

    begun = beginning(folder)
    note_program(folder, command)
    try:
        with live or nullcontext():
            with Console(folder / CONSOLE, output_to_stderr=taken) as console:
                ending = run_to_end(
                    command,
                    environment,
                    mask,
                    streams=console.streams,
                    meanwhile=meanwhile,
                    started=console.handed_over,
                )
            if live is not None:
                live.hush()
            say_at_once(progress)
    except BaseException:
        discard(folder)
        raise
    why = live.met.afterward if live is not None and live.met is not None else ""
    note_ending(folder, ending, why)
    keep_written(folder, begun, files.of(folder))
    note_outcome(folder, command, ending, why)
    return ending


def _share(text: str) -> float:
    """A percentage as a share."""
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = 0.0
    if percent > 100:
        raise argparse.ArgumentTypeError(f'"{text}" is more than 100%; for example --budget 2')
    if not percent > 0:
        raise argparse.ArgumentTypeError(
            f'expected a percentage above 0, got "{text}"; for example --budget 2'
        )
    return percent / 100


def _steps(example: str) -> "Callable[[str], int]":
    def steps(text: str) -> int:
        if not text.isdecimal() or not int(text):
            raise argparse.ArgumentTypeError(
                f'expected a number of steps, got "{text}"; for example {example}'
            )
        return int(text)

    return steps
