"""Runs the program once, as an arm of a trial, and reads what it left."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from traindx.change import Change
from traindx.curves.stated import is_recording
from traindx.errors import UnreadableError
from traindx.launching.command import Command
from traindx.launching.ending import recordings, stopped, why_nothing
from traindx.launching.environment import recording_environment
from traindx.loading.reading import load
from traindx.run import Run
from traindx.trial import NOTES, TRIAL

OUTPUT = "output.txt"
_LOOKS = 60
"""Looks of the recorder at layers and predictions, over an arm."""
_GRACE = 5.0
"""Seconds between asking a program to end and ending it."""


@dataclass(frozen=True)
class Order:
    """What an arm is to be."""

    command: Command
    folder: Path
    """Where its recording and its output go."""
    place: Path
    """The working directory."""
    changes: tuple[Change, ...] = ()
    seed: int = 0
    steps: int | None = None
    """How many steps it takes, where that is known."""
    is_cut: bool = False
    """Whether it is ended after these steps; else it ends by itself."""
    seconds: float = 600.0
    """After which it is ended."""
    threads: int | None = None
    saves: Path | None = None
    """Where the weights of its model go."""
    observes: tuple[str, ...] = ()
    """Observers that look inside the program, by the names of their modules."""


@dataclass(frozen=True)
class Done:
    """What came of it."""

    order: Order
    run: Run | None
    seconds: float
    problem: str = ""
    """Why it does not count; empty where it does."""
    refused: str = ""
    """Why the change did not take hold."""
    crashed: bool = False
    """Whether the program itself stopped with an error."""


def carry_out(order: Order) -> Done:
    """Run the program to its end, or to the end of its time."""
    order.folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with (order.folder / OUTPUT).open("wb") as output:
        # A group of its own: what the program starts ends with it, and Ctrl-C is ours. Not a session:
        # Linux shares processors out by sessions, and a busy one would starve it.
        process = subprocess.Popen(  # noqa: S603  # the user's own command
            list(order.command.words),
            executable=order.command.program,
            cwd=order.place,
            env=_environment(order, os.environ),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        try:
            code: int | None = process.wait(order.seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(process)
    took = time.monotonic() - began
    run = _recorded(order.folder)
    crashed = bool(code) and run is not None and not stopped(order.folder)
    return Done(order, run, took, _problem(order, run, code), _refused(order), crashed)


def _environment(order: Order, environment: Mapping[str, str]) -> dict[str, str]:
    every = max(1, (order.steps or 1000) // _LOOKS)
    stops = [round(change.number) for change in order.changes if change.name == "stop.at"]
    most = min(stops) if stops else order.steps if order.is_cut else None
    found = recording_environment(environment, order.folder, budget=1.0, every=every, most_steps=most)
    asked = {
        "folder": str(order.folder.resolve()),
        "seed": order.seed,
        "steps": order.steps,
        "changes": [str(change) for change in order.changes],
        "saves": str(order.saves) if order.saves else None,
        "observes": order.observes,
    }
    found[TRIAL] = json.dumps(asked)
    if order.threads is not None:
        found.setdefault("OMP_NUM_THREADS", str(order.threads))
    return found


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program and everything it started."""
    for number, seconds in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, _GRACE)):
        if process.poll() is not None and number is signal.SIGTERM:
            break
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            break
    # What it left running in the background, such as workers of a loader.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _recorded(folder: Path) -> Run | None:
    if not recordings(folder):
        return None
    try:
        # What the program printed lies beside it, and may read like a log.
        runs = [run for run in load(folder) if is_recording(run)]
    except UnreadableError:  # it was ended before its first step
        return None
    return max(runs, key=lambda run: max((len(one) for one in run.series), default=0), default=None)


def _problem(order: Order, run: Run | None, code: int | None) -> str:
    if code is None:
        did = "end" if run is not None else "take a step"
        return f"it did not {did} within {order.seconds:.0f} s"
    if run is None:
        return why_nothing(order.folder)
    if code and not stopped(order.folder):
        return f"it ended with code {code}: {last_line(order.folder / OUTPUT)}"
    return ""


def last_line(path: Path) -> str:
    """What a program said last."""
    lines = [line.strip() for line in path.read_text("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"


def _refused(order: Order) -> str:
    """Why a change did not take hold, by what the program's side noted down."""
    if not order.changes:
        return ""
    notes = _notes(order.folder)
    missing = [
        one for one in order.changes if not any(n["applied"] and n["change"] == str(one) for n in notes)
    ]
    if not missing:
        return ""
    reasons = [str(note["says"]) for note in notes if not note["applied"]]
    return (
        reasons[0]
        if reasons
        else f"nothing in the program was found that {missing[0].name} could be applied to"
    )


def _notes(folder: Path) -> Sequence[Mapping[str, object]]:
    try:
        lines = (folder / NOTES).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [json.loads(line) for line in lines if line.endswith("}")]


def applied(folder: Path) -> list[str]:
    """What was done to the program of an arm, in sentences."""
    return [str(note["says"]) for note in _notes(folder) if note["applied"]]


def refused(folder: Path, change: Change) -> str:
    """Why one of several changes did not take hold; empty where it did."""
    notes = [note for note in _notes(folder) if note["change"] == str(change)]
    reasons = [str(note["says"]) for note in notes if not note["applied"]]
    if reasons or notes:
        return reasons[0] if reasons else ""
    return f"nothing in the program was found that {change.name} could be applied to"
