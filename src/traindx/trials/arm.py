"""One run of the program as an arm of a trial, and what it left."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from traindx.changes.types import ChangeSpec
from traindx.curves.facts import is_recording
from traindx.errors import UnreadableError
from traindx.readers.loading.runs import load
from traindx.recorder.launch.environment import NOTES
from traindx.recorder.launch.outcome import recordings, stopped, why_nothing
from traindx.run import Run
from traindx.trials.program import OUTPUT, ArmSpec, Ended, run_program


@dataclass(frozen=True)
class ArmResult:
    """What came of it."""

    order: ArmSpec
    run: Run | None
    seconds: float
    problem: str = ""
    """Why it does not count; empty where it does."""
    refused: str = ""
    """Why the change did not take hold."""
    crashed: bool = False
    """Whether the program itself stopped with an error."""


def carry_out(order: ArmSpec, stop: Event | None = None) -> ArmResult:
    """Run the program to its end, or to the end of its time, or until it is to be stopped."""
    order.folder.mkdir(parents=True, exist_ok=True)
    return done_from(order, run_program(order, os.environ, stop=stop))


def done_from(order: ArmSpec, ended: Ended) -> ArmResult:
    """What a program left in the folder of its arm."""
    run = _recorded(order.folder)
    crashed = bool(ended.code) and run is not None and not stopped(order.folder)
    return ArmResult(order, run, ended.seconds, _problem(order, run, ended.code), _unapplied(order), crashed)


def _recorded(folder: Path) -> Run | None:
    if not recordings(folder):
        return None
    try:
        # What the program printed lies beside it, and may read like a log.
        runs = [run for run in load(folder) if is_recording(run)]
    except UnreadableError:  # it was ended before its first step
        return None
    return max(runs, key=lambda run: max((len(one) for one in run.series), default=0), default=None)


def _problem(order: ArmSpec, run: Run | None, code: int | None) -> str:
    if code is None:
        did = "end" if run is not None else "take a step"
        return f"it did not {did} within {order.seconds:.0f} s"
    if code and not stopped(order.folder):
        when = "" if run is not None else " before it trained"
        return f"it ended with code {code}{when}: {last_line(order.folder / OUTPUT)}"
    return "" if run is not None else why_nothing(order.folder)


def last_line(path: Path) -> str:
    """What a program said last."""
    lines = [line.strip() for line in path.read_text("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"


def _unapplied(order: ArmSpec) -> str:
    """Why a change took hold nowhere, by what the program's side noted down; empty where all did."""
    notes = _notes(order.folder)
    taken = {note["change"] for note in notes if note["applied"]}
    missing = next((one for one in order.changes if str(one) not in taken), None)
    return refused(order.folder, missing) if missing is not None else ""


def _notes(folder: Path) -> Sequence[Mapping[str, object]]:
    try:
        lines = (folder / NOTES).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [json.loads(line) for line in lines if line.endswith("}")]


def applied(folder: Path) -> list[str]:
    """What was done to the program of an arm, in sentences."""
    return [str(note["says"]) for note in _notes(folder) if note["applied"]]


def refused(folder: Path, change: ChangeSpec) -> str:
    """Why a change was refused, be it at one of several places; empty where it took hold at all of them."""
    notes = [note for note in _notes(folder) if note["change"] == str(change)]
    reasons = [str(note["says"]) for note in notes if not note["applied"]]
    nothing = "" if notes else f"nothing in the program was found that {change.name} could be applied to"
    return reasons[0] if reasons else nothing
