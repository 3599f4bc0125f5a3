"""What a program left in its run's folder: recordings, and word of the processes that could not record."""

import json
import signal
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from traindx.readers.binary.recording_file import SUFFIX
from traindx.recorder.launch.child import Ending
from traindx.run import EventKind

PROCESSES = "processes.jsonl"
_BUSY_SECONDS = 2.0


@dataclass(frozen=True)
class Process:
    """What one process of the program told about itself."""

    python: str
    executable: str
    pid: str = ""
    torch: str = ""
    """The version of torch it imported."""
    problem: str = ""
    """Why it was not recorded: "too old" (its Python), "failed" (our recorder) or "unwritten" (the disk)."""
    why: str = ""
    where: str = ""
    stopped: str = ""
    """The steps after which it said that it ends, because it was to take no more."""


def recordings(folder: Path) -> list[Path]:
    """The recordings of a run, one for each process that trained."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def stopped(folder: Path) -> list[int]:
    """The processes that have said that they end because they have taken the steps they were to take."""
    return [int(one.pid) for one in _processes(folder) if one.stopped and one.pid.isdecimal()]


def note_ending(folder: Path, ending: Ending, why: str = "") -> None:
    """Write into each recording how the program ended, and why if it was we who ended it."""
    for path in recordings(folder):
        try:
            with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as database, database:
                _note(database, ending, why)
        except sqlite3.Error:
            # A process that outlives the program may still hold it: the recording counts without it.
            continue


def _note(database: sqlite3.Connection, ending: Ending, why: str) -> None:
    database.execute("INSERT OR REPLACE INTO meta VALUES ('exit_code', ?)", (json.dumps(ending.code),))
    if why:
        _interrupted(database, why)
    if ending.signal is None:
        return
    kinds = (EventKind.EXCEPTION.value, EventKind.INTERRUPTED.value)
    # An exception that the process could still record says more than the signal it led to.
    if database.execute("SELECT 1 FROM events WHERE kind IN (?, ?)", kinds).fetchone() is None:
        names = {one.value: one.name for one in signal.Signals}
        says = f"the program was ended by {names.get(ending.signal, f'signal {ending.signal}')}"
        _interrupted(database, says)


def _interrupted(database: sqlite3.Connection, says: str) -> None:
    database.execute(
        "INSERT INTO events VALUES (NULL, 0, NULL, ?, ?, '', '', NULL)", (EventKind.INTERRUPTED.value, says)
    )


def faults(folder: Path) -> list[str]:
    """Sentences for the processes whose recorder failed or could not write, each fault once."""
    processes = _processes(folder)
    failed = [one for one in processes if one.problem == "failed"]
    places = {f"{one.why} at {one.where}" if one.where else one.why: None for one in failed}
    unwritten = {one.why: None for one in processes if one.problem == "unwritten"}
    return [
        *(f"the recorder failed ({place}); the program was not disturbed" for place in places),
        *(f"the recording breaks off: {why}; the program was not disturbed" for why in unwritten),
    ]


def why_nothing(folder: Path) -> str:
    """The sentence for a run that recorded nothing."""
    processes = _processes(folder)
    old = next((one for one in processes if one.problem == "too old"), None)
    if failed := faults(folder):
        why = failed[0]
    elif any(one.torch for one in processes):
        why = "torch was imported, but nothing was trained (no backward pass ran); run a command that trains"
    elif old is not None:
        why = (
            f"the program ran in Python {old.python} ({old.executable}), and recording needs 3.11 or newer;"
            " run it with a newer Python"
        )
    else:
        why = (
            "no Python process of the program imported torch; if one did, it was started with -I, -E or -S,"
            " or with a PYTHONPATH of its own, and was out of our reach"
        )
    return f"nothing was recorded: {why}"


def discard(folder: Path) -> None:
    """Remove the folder of a run that recorded nothing."""
    try:
        (folder / PROCESSES).unlink(missing_ok=True)
        folder.rmdir()
    except OSError:
        # A process that outlives the program has written something after all.
        return


def _processes(folder: Path) -> list[Process]:
    try:
        lines = (folder / PROCESSES).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [process for line in lines if (process := _process(line)) is not None]


def _process(line: str) -> Process | None:
    try:
        told = json.loads(line)
    except ValueError:
        return None
    if not isinstance(told, dict):
        return None
    return Process(**{name: str(told.get(name, "")) for name in Process.__dataclass_fields__})
