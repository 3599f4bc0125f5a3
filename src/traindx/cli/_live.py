"""The recording of a program that may still run: read it, judge it, and say what is serious."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from traindx.cli._conditions import Condition, stopping
from traindx.cli._live_report import Live
from traindx.cli._reporting import Judge
from traindx.cli._writing import ProgressLine, coloured
from traindx.format import printable
from traindx.readers.loading.runs import Reading, read
from traindx.trials.types import Report

_YELLOW, _PLAIN = "\x1b[33m", "\x1b[0m"


def live_judge(folder: Path, judge: Judge, conditions: Sequence[Condition]) -> Live:
    """Judges the recording now and then while the program runs; a condition that is met ends the program."""

    def look() -> Report:
        return judge(read_recording(folder), ProgressLine(shown=False))

    return Live(folder, look, lambda report: stopping(conditions, report), _say)


def read_recording(folder: Path) -> Reading:
    """What is recorded so far, each run by its name without the folders that all runs lie in."""
    reading = read([str(folder)])
    above = os.path.join(folder.parent, "")
    named = (replace(run, name=run.name.removeprefix(above) or folder.name) for run in reading.runs)
    return replace(reading, runs=tuple(named))


def _say(says: str) -> None:
    """Say something between what the program says, in a line of its own."""
    line = f"traindx: {printable(says, 500)}"
    shown = f"{_YELLOW}{line}{_PLAIN}" if coloured(sys.stderr) else line
    try:
        # One write: the program may write at the same time.
        os.write(sys.stderr.fileno(), f"\n{shown}\n".encode(errors="replace"))
    except (OSError, ValueError):  # nobody reads it any more
        return
