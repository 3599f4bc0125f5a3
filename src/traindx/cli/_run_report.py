"""What follows after the program of `traindx run` has ended: its recording is judged, kept and shown."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from traindx.cli._conditions import Condition
from traindx.cli._live import read_recording
from traindx.cli._options import made
from traindx.cli._output import Maker, complain, page_makers, page_text, publish
from traindx.cli._progress import ProgressLine
from traindx.cli._report import Judge, gate, present, report_places, write_output
from traindx.errors import TraindxError, UnreadableError
from traindx.format import capitalized
from traindx.readers.loading.runs import Reading
from traindx.recorder.launch.child import Ending
from traindx.recorder.launch.command import Command
from traindx.recorder.launch.outcome import faults, recordings, signal_name, silence
from traindx.recorder.launch.traces import discard
from traindx.report.blocks import Command as NextCommand
from traindx.report.blocks import Headline, Page, Paragraph, Tone
from traindx.trials.types import Report

_FOLLOWING = NextCommand("next", "traindx diagnose train.log", "if it prints or logs its loss")


def say_at_once(progress: ProgressLine) -> None:
    """Leave the line in which the program may have ended, and say what is being done."""
    try:
        sys.stderr.write("\n")
        progress.say("diagnosing ...")
    except OSError:
        _drop_broken()


def report_on(
    folder: Path,
    command: Command,
    ending: Ending,
    judge: Judge,
    conditions: Sequence[Condition],
    arguments: argparse.Namespace,
    progress: ProgressLine,
) -> int | None:
    """Judge what was recorded, keep the report next to it and show it; None if nothing could be judged."""
    arguments.paths = [str(folder)]
    try:
        reading = read_recording(folder)
        if not recordings(folder) and not reading.runs:
            progress.wipe()
            _show_silence(folder, command, ending, arguments)
            return None
        report = _judged(reading, folder, command, judge, progress)
        progress.say("writing the report")
        kept = _keep(report, folder, arguments) if report.diagnoses else ""
        progress.wipe()
        code = _show(report, kept, conditions, arguments)
        return code if report.diagnoses else None
    except Exception as error:
        progress.wipe()
        # The program's own end counts more than a fault of ours in telling about it.
        says = f"the report failed ({type(error).__name__}: {error}); the recording is safe in {folder}"
        complain(arguments.command, f"{says}; try: traindx diagnose {folder}")
        return None


def _judged(reading: Reading, folder: Path, command: Command, judge: Judge, progress: ProgressLine) -> Report:
    problems = (*reading.problems, *(UnreadableError(command.title, says) for says in faults(folder)))
    return judge(replace(reading, problems=problems), progress)


def _keep(report: Report, folder: Path, arguments: argparse.Namespace) -> str:
    """Write the report next to the recording; where its page is, or nothing where it can't be written."""
    page = str(folder / "report.html")
    try:
        write_output("html", page, report, arguments)
        write_output("json", str(folder / "report.json"), report, arguments)
    except TraindxError as error:
        complain(arguments.command, error)
        return ""
    return page


def _show(report: Report, kept: str, conditions: Sequence[Condition], arguments: argparse.Namespace) -> int:
    try:
        code = present(report, arguments, conditions, stream=sys.stderr, kept=kept)
        sys.stdout.flush()
    except OSError:
        # The exit code has to be right whoever reads the report.
        _drop_broken()
        return gate(report, arguments, conditions)
    return code


def _show_silence(folder: Path, command: Command, ending: Ending, arguments: argparse.Namespace) -> None:
    """Show why there is nothing to diagnose, also in the documents that were asked for."""
    why, ended = silence(folder), _how_it_ended(ending)
    discard(folder)
    headline = (
        Headline("CRASHED", why.crash)
        if why.crash
        else Headline("NOTHING RECORDED", f"{command.title} {ended} {why.what}", "", Tone.DOUBT)
    )
    page = Page(
        "crashed · traindx" if why.crash else "nothing recorded · traindx",
        (headline, Paragraph(f"{capitalized(why.todo)}."), *([] if why.crash else [_FOLLOWING])),
    )
    what = f"nothing recorded: {why.crash or f'the program {ended} {why.what}'}"
    report = Report((), (UnreadableError(command.title, what, why.todo),))
    places = {option: path for option, path in report_places(arguments).items() if option != "png"}
    makers: dict[str, Maker] = {option: partial(made, option, report, arguments) for option in places}
    makers |= page_makers(lambda: page, arguments)
    try:
        text = page_text(page, arguments, f"{headline.word} · {headline.title}", sys.stderr)
        publish(arguments.command, places, makers, text, stream=sys.stderr)
        sys.stdout.flush()
    except OSError:
        _drop_broken()


def _how_it_ended(ending: Ending) -> str:
    """The end of a program after its name: "finished (exit code 0)"."""
    if ending.signal is None:
        return f"finished (exit code {ending.code})"
    interrupted = ending.signal == signal.SIGINT
    return "was interrupted" if interrupted else f"was killed by {signal_name(ending.signal)}"


def _drop_broken() -> None:
    """Send what nobody reads anymore nowhere."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
