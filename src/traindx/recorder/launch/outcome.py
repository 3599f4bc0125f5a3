"""What a program left in its run's folder: recordings, and word of the processes that could not record."""

import json
import os
import signal
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from traindx.facts import CRASH_PLACE
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
    died: str = ""
    """The exception that ended it: "ModuleNotFoundError: No module named 'datasets'"."""
    imported: str = ""
    """The libraries that train which it had imported when it ended, with blanks between."""
    stopped: str = ""
    """The steps after which it said that it ends, because it was to take no more."""
    wrote: str = ""
    """A file that it opened for writing."""


def recordings(folder: Path) -> list[Path]:
    """The recordings of a run, one for each process that trained."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def steps_recorded(folder: Path) -> int:
    """How many steps a program that may still run has recorded so far."""
    counts = [0]
    for path in recordings(folder):
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0.1)) as database:
                rows = database.execute("SELECT sum(count) FROM rows GROUP BY layout").fetchall()
        except sqlite3.Error:
            continue
        counts += [int(count) for (count,) in rows if count]
    return max(counts)


def stopped(folder: Path) -> list[int]:
    """The processes that have said that they end because they have taken the steps they were to take."""
    return [int(process.pid) for process in processes(folder) if process.stopped and process.pid.isdecimal()]


def note_ending(folder: Path, ending: Ending, why: str = "") -> None:
    """Write into each recording how the program ended, and why if it was we who ended it."""
    places = {
        process.pid: short_place(process.where)
        for process in processes(folder)
        if process.died and process.where
    }
    for path in recordings(folder):
        try:
            with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as database, database:
                _note(database, ending, why)
                _note_place(database, places)
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
        _interrupted(database, f"the program was killed by {signal_name(ending.signal)}")


def _note_place(database: sqlite3.Connection, places: Mapping[str, str]) -> None:
    """Write where the exception was raised that ended the process of a recording, by its number."""
    pid = database.execute("SELECT value FROM meta WHERE key = 'pid'").fetchone()
    location = places.get(pid[0], "") if pid else ""
    if location:
        database.execute(
            "INSERT OR REPLACE INTO facts VALUES (0, ?, ?)", (CRASH_PLACE.slug, json.dumps(location))
        )


def short_place(where: str) -> str:
    """A file and line, relative to the working directory if it is below it."""
    path = os.path.relpath(where)
    return where if path.startswith("..") else path


def signal_name(number: int) -> str:
    """SIGKILL for 9; a signal without a name is called by its number."""
    names = {known.value: known.name for known in signal.Signals}
    return names.get(number, f"signal {number}")


def _interrupted(database: sqlite3.Connection, says: str) -> None:
    database.execute(
        "INSERT INTO events VALUES (NULL, 0, NULL, ?, ?, '', '', NULL)", (EventKind.INTERRUPTED.value, says)
    )


def faults(folder: Path) -> list[str]:
    """Sentences for the processes whose recorder failed or could not write, each fault once."""
    recorded = processes(folder)
    failed = [process for process in recorded if process.problem == "failed"]
    places = {
        f"{process.why} at {process.where}" if process.where else process.why: None for process in failed
    }
    unwritten = {process.why: None for process in recorded if process.problem == "unwritten"}
    return [
        *(f"the recorder failed ({location}); the program was not affected" for location in places),
        *(f"the recording is incomplete: {why}; the program was not affected" for why in unwritten),
    ]


@dataclass(frozen=True)
class Silence:
    """Why a program left no recording."""

    what: str
    """What follows after "the program ended": "without importing torch"."""
    todo: str
    """What to do, or why nothing can be done."""
    crash: str = ""
    """The exception that ended it before it trained, with its place; empty if none did."""

    def __str__(self) -> str:
        return f"nothing recorded: {self.crash or f'the program ended {self.what}'}; {self.todo}"


def silence(folder: Path) -> Silence:
    """Why nothing was recorded."""
    recorded = processes(folder)
    died = next((process for process in reversed(recorded) if process.died), None)
    old = next((process for process in recorded if process.problem == "too old"), None)
    if failed := faults(folder):
        return Silence(f"without a recording: {failed[0]}", "this is a bug in traindx; report it")
    if died is not None and died.died == KeyboardInterrupt.__name__:
        return Silence("before its first step", "there is nothing to diagnose")
    if died is not None:
        location = f" ({short_place(died.where)})" if died.where else ""
        todo = "the program stopped before its first step; there is nothing to diagnose"
        return Silence("with an exception", todo, f"{died.died}{location}")
    if any(process.torch for process in recorded):
        todo = "it imported torch but trained nothing; run a command that trains"
        return Silence("without a backward pass", todo)
    if old is not None:
        what = f"in Python {old.python} ({old.executable}); recording needs 3.11 or newer"
        return Silence(what, "run it with a newer Python")
    todo = "if it does use torch, it started Python with -I/-E/-S or its own PYTHONPATH"
    return Silence("without importing torch", todo)


def processes(folder: Path) -> list[Process]:
    """What the processes of a program told about themselves."""
    try:
        lines = (folder / PROCESSES).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [process for line in lines if (process := _process(line)) is not None]


def _process(line: str) -> Process | None:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    return Process(**{name: str(fields.get(name, "")) for name in Process.__dataclass_fields__})
