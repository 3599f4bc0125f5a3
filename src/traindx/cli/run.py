"""`traindx run`: record a command and diagnose it."""

import argparse
import os
import sys

from traindx.cli import BAD_INPUT, CONDITION_MET, DONE
from traindx.cli._options import (
    add_exams,
    add_folder,
    add_judging,
    add_option,
    add_outputs,
    add_program,
    words_of,
)
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from traindx.cli._conditions import Condition
    from traindx.cli._live import Live
    from traindx.cli._report import Judge
    from traindx.recorder.launch.child import Ending, Mask
    from traindx.recorder.launch.command import Command
    from traindx.trials.types import Report

HELP = "run a training, record it, and tell whether it is healthy, and if not, why and what to change"
EXAMPLES = """\
  traindx run train.py --lr 0.1                record a script, with its own arguments
  traindx run -m package.train --epochs 3      record a module
  traindx run -- torchrun --nproc-per-node 2 train.py  record any command that trains with torch
  traindx run --max-steps 200 train.py         only the first 200 steps, for a quick look
  traindx run --fail-on sick:0.8 train.py      stop it once it is sick, with exit code 1, for scripts
  traindx run --no-live train.py               no word while it runs, and no stop: judged at the end alone
  traindx run --json - train.py > run.json     as data, for programs

Our options stand before the command; everything after its first word is the program's.
What it prints, its exit code and signals pass through; the report goes to standard error. With --json - or
--md - the report goes to standard output, and what the program prints there goes to standard error.
With --fail-on, a program that ends well and leaves nothing to judge gives exit code 2.
While it runs the recording is judged now and then: a cause that is likely and serious at two looks in a row
is said once, in a line on standard error."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of run."""
    add_program(parser, "run")
    add_folder(parser, "run", "runs", ".traindx/runs")
    add_option(
        parser,
        "--budget PERCENT",
        "how much of the program's time recording may take (default: 2)",
        type=_share,
        default=0.02,
    )
    add_option(
        parser,
        "--every N",
        "look at the layers at every Nth step (default: often at first, then ever less)",
        type=_steps("--every 100"),
    )
    add_option(
        parser,
        "--max-steps N",
        "end the program after N optimizer steps; the exit code is then 0, unless --fail-on is met",
        type=_steps("--max-steps 200"),
    )
    parser.add_argument(
        "--no-live", dest="live", action="store_false", help="judge the run only when it has ended"
    )
    add_judging(parser, follows=False)
    add_exams(parser)
    add_outputs(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command to its end and report on it; 2 if it cannot be started, else its exit code or 1."""
    if os.name != "posix":
        raise TraindxError(
            "needs Linux or macOS; elsewhere call traindx.watch(model, optimizer) in the script"
        )
    from contextlib import suppress
    from pathlib import Path

    from traindx.cli._output import complain
    from traindx.recorder.launch.child import end_like, signals_held
    from traindx.recorder.launch.command import command_from, new_run_folder
    from traindx.recorder.launch.outcome import stopped

    with signals_held() as mask:
        judge, conditions = _checked(arguments)
        command = command_from(words_of(arguments), os.environ)
        folder = new_run_folder(Path(arguments.out), command.name, arguments.name)
        live = _live(folder, judge, conditions) if arguments.live else None
        ending = _recorded(command, folder, arguments, mask, live)
        enough = bool(stopped(folder))
    code = _report_on(folder, command, judge, conditions, arguments)
    if live is not None and live.met is not None:
        with suppress(OSError):
            complain(arguments.command, live.met.afterwards)
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
        complain(arguments.command, f"no run was judged; --fail-on {arguments.fail_on[0]} cannot judge it")
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
) -> "Ending":
    """Start the command and wait for its end."""
    from contextlib import nullcontext

    from traindx.recorder.launch.child import run_to_end
    from traindx.recorder.launch.environment import recording_environment
    from traindx.recorder.launch.outcome import discard, note_ending, stopped
    from traindx.recorder.launch.process_tree import Reminder

    environment = recording_environment(
        os.environ,
        folder,
        budget=arguments.budget,
        every=arguments.every,
        most_steps=arguments.max_steps,
    )
    taken = "-" in (arguments.json, arguments.md)
    reminder = Reminder(lambda: stopped(folder) if arguments.max_steps else [])

    def meanwhile(program: int) -> None:
        reminder.carry_out(program)
        if live is not None:
            live.stop.carry_out(program)

    try:
        with live or nullcontext():
            ending = run_to_end(command, environment, mask, output_to_stderr=taken, meanwhile=meanwhile)
    except BaseException:
        discard(folder)
        raise
    note_ending(folder, ending, live.met.afterwards if live is not None and live.met is not None else "")
    return ending


def _live(folder: "Path", judge: "Judge", conditions: "Sequence[Condition]") -> "Live":
    # Not before signals are held back: numpy, which it needs, starts threads.
    from traindx.cli._live import live_judge

    return live_judge(folder, judge, conditions)


def _report_on(
    folder: "Path",
    command: "Command",
    judge: "Judge",
    conditions: "Sequence[Condition]",
    arguments: argparse.Namespace,
) -> int | None:
    """Judge what was recorded, keep the report beside it and show it; None where nothing could be judged."""
    from traindx.cli._output import ProgressLine, complain

    arguments.paths, progress = [str(folder)], ProgressLine()
    _begin_line()
    try:
        progress.say("reading the recording")
        report = _judged(folder, command, judge)
        progress.say("writing the report")
        kept = _keep(report, folder) if report.diagnoses else ""
        progress.wipe()
        code = _show(report, kept, conditions, arguments)
        return code if report.diagnoses else None
    except Exception as error:
        progress.wipe()
        # The program's own end counts more than a fault of ours in telling about it.
        says = f"the report failed ({type(error).__name__}: {error}); the recording is in {folder}"
        complain(arguments.command, f"{says}; traindx diagnose {folder} reads it again")
        return None


def _begin_line() -> None:
    """Leave the line in which the program may have ended."""
    try:
        sys.stderr.write("\n")
    except OSError:
        _drop_broken()


def _drop_broken() -> None:
    """Send what nobody reads any more nowhere."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _show(
    report: "Report", kept: str, conditions: "Sequence[Condition]", arguments: argparse.Namespace
) -> int:
    from traindx.cli._output import place_lines
    from traindx.cli._report import LABELS, gate, present

    try:
        code = present(report, arguments, conditions, stream=sys.stderr)
        sys.stderr.write(place_lines({"html": kept} if kept else {}, LABELS))
        sys.stdout.flush()
    except OSError:
        # The exit code has to be right whoever reads the report.
        _drop_broken()
        code = gate(report, arguments, conditions)
    return code


def _judged(folder: "Path", command: "Command", judge: "Judge") -> "Report":
    from dataclasses import replace

    from traindx.cli._live import read_recording
    from traindx.cli._output import ProgressLine
    from traindx.errors import UnreadableError
    from traindx.recorder.launch.outcome import discard, faults, recordings, why_nothing
    from traindx.trials.types import Report

    if recordings(folder):
        reading = read_recording(folder)
        problems = (*reading.problems, *(UnreadableError(command.title, says) for says in faults(folder)))
        return judge(replace(reading, problems=problems), ProgressLine())
    reason = UnreadableError(command.title, why_nothing(folder))
    discard(folder)
    return Report((), (reason,))


def _keep(report: "Report", folder: "Path") -> str:
    """Write the report beside the recording; where its page is."""
    from traindx.cli._report import write_output

    page = str(folder / "report.html")
    write_output("html", page, report)
    write_output("json", str(folder / "report.json"), report)
    return page


def _share(text: str) -> float:
    """A percentage as a share."""
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = 0.0
    if percent > 100:
        raise argparse.ArgumentTypeError(f'"{text}" is more than all of its time; for example --budget 2')
    if not percent > 0:
        raise argparse.ArgumentTypeError(f'"{text}" is no percentage above 0; for example --budget 2')
    return percent / 100


def _steps(example: str) -> "Callable[[str], int]":
    def steps(text: str) -> int:
        if not text.isdecimal() or not int(text):
            raise argparse.ArgumentTypeError(f'"{text}" is no number of steps; for example {example}')
        return int(text)

    return steps
