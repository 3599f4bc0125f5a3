"""What a program leaves besides a recording: the log files that it wrote, and word of how it ended.

Its Python processes tell of every file they open for writing, see `traindx_import_hook.py`. Of others Linux
shows which files they hold open; one that such a process closes between two looks is not seen.

Files are looked for below the working directory, where they are new or have changed since the program
started, and a process of the program wrote them: another program may write its own beside them. They are
copied beside the recording, so that a later diagnosis reads the same.
"""

import json
import os
import stat
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from traindx.readers.loading.files import CONSOLE, OWN_FOLDER, PROGRAM, SKIPPED_FOLDERS, WRITTEN
from traindx.recorder.launch.child import Ending
from traindx.recorder.launch.command import Command
from traindx.recorder.launch.outcome import (
    PROCESSES,
    Process,
    processes,
    recordings,
    short_place,
    signal_name,
)
from traindx.recorder.launch.process_tree import family

_GROWTH, _LONGEST = 1.25, 60.0
"""How much later than the last each look comes, and the seconds after which the next one comes at the latest:
a log is mostly opened early, and kept open."""
_OPEN_TO_WRITE = os.O_WRONLY | os.O_RDWR
_GONE = " (deleted)"

FileNumber = tuple[int, int]
"""Device and number of a file, whatever path leads to it."""


class OpenFiles:
    """Looks from time to time at the files that the processes of a program hold open for writing."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began, self._due = clock(), 0.0
        self._paths: set[str] = set()

    def look(self, program: int) -> None:
        """Look if it is time to; called again and again while the program runs."""
        elapsed = self._clock() - self._began
        if elapsed < self._due or not os.path.exists("/proc/self/fdinfo"):
            return
        self._due = min(max(_GROWTH * elapsed, elapsed + 1), elapsed + _LONGEST)
        for process in family(program):
            with suppress(OSError):  # it has ended, or is not ours to look at
                self._paths.update(_held_by(process))

    def of(self, folder: Path) -> set[FileNumber]:
        """The files that the program of a run has written."""
        paths = {process.wrote for process in processes(folder) if process.wrote}
        identities = set()
        for path in self._paths | paths:
            with suppress(OSError, ValueError):
                status = os.stat(path)
                identities.add((status.st_dev, status.st_ino))
        return identities


def _held_by(process: int) -> Iterator[str]:
    """The regular files that a process holds open for writing."""
    folder = f"/proc/{process}"
    for descriptor in os.listdir(f"{folder}/fd"):
        with suppress(OSError, ValueError):
            path = os.readlink(f"{folder}/fd/{descriptor}")
            if not path.startswith("/") or path.startswith(("/dev/", "/proc/")) or path.endswith(_GONE):
                continue
            with open(f"{folder}/fdinfo/{descriptor}") as file:
                flags = next(line for line in file if line.startswith("flags:")).split()[1]
            if int(flags, 8) & _OPEN_TO_WRITE:
                yield path


_LOGS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".log", ".txt", ".out", ".wandb", ".db", ".sqlite")
_SETTINGS = (".yaml", ".yml")
_EVENTS = "tfevents"
_METRICS = {"mlruns", "metrics"}
"""Folders above MLflow's files, each of which is named like its metric."""
_MOST_LOOKED_AT = 100_000
"""Files and folders that are looked at, at most."""
_DEEPEST = 8
"""Folders below the working directory."""
_MOST_FILES, _LARGEST, _MOST_BYTES = 200, 1 << 25, 1 << 27
"""How many files are copied at most, how large each and all together may be."""
_BLOCK = 1 << 20
_PRIVATE = 0o600
_FRAMEWORKS = ("keras", "tensorflow", "jax", "torch", "sklearn", "xgboost", "lightgbm", "catboost")
"""Libraries that train, the one that says most about a program that imports several first."""


@dataclass(frozen=True)
class Beginning:
    """How things stood when the program started."""

    place: Path
    """The working directory."""
    since: int
    """When it started, in nanoseconds of the clock of the file system."""
    ours: Collection[FileNumber]
    """The files that our own standard streams go to."""


def beginning(folder: Path) -> Beginning:
    """How things stand now, the folder of the run having just been made."""
    ours = set()
    for descriptor in (1, 2):
        with suppress(OSError):
            status = os.fstat(descriptor)
            ours.add((status.st_dev, status.st_ino))
    return Beginning(Path.cwd(), folder.stat().st_mtime_ns, ours)


def keep_written(folder: Path, begun: Beginning, written: Collection[FileNumber]) -> None:
    """Copy the log files among those that the program has written since then into the folder of the run."""
    left = _MOST_BYTES
    for path, size in sorted(_logs(begun, written), key=lambda log: log[1])[:_MOST_FILES]:
        left -= size
        if left < 0:
            return
        with suppress(OSError):
            _copy(path, folder / WRITTEN / path.relative_to(begun.place))


def _logs(begun: Beginning, written: Collection[FileNumber]) -> Iterator[tuple[Path, int]]:
    """The files of these that may be logs, new or changed, each with its size; links are not followed."""
    looked_at, folders = 0, [(begun.place, 0)]
    while folders:
        folder, depth = folders.pop(0)
        for entry in _entries(folder):
            looked_at += 1
            if looked_at > _MOST_LOOKED_AT:
                return
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                path = Path(entry.path)
                if stat.S_ISDIR(status.st_mode) and depth < _DEEPEST and _is_open(entry.name):
                    folders.append((path, depth + 1))
                elif (status.st_dev, status.st_ino) in written and _is_log(path) and _is_of(begun, status):
                    yield path, status.st_size


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_open(folder: str) -> bool:
    return folder not in SKIPPED_FOLDERS and folder != OWN_FOLDER


def _is_of(begun: Beginning, status: os.stat_result) -> bool:
    return (
        stat.S_ISREG(status.st_mode)
        and status.st_mtime_ns >= begun.since
        and 0 < status.st_size <= _LARGEST
        and (status.st_dev, status.st_ino) not in begun.ours
    )


def _is_log(path: Path) -> bool:
    name = path.name.lower()
    return name.endswith((*_LOGS, *_SETTINGS)) or _EVENTS in name or set(path.parts) >= _METRICS


def _copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # The program may still run in part, and have put a link in the place of the file.
    source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(source, "rb") as old, open(_private(to), "wb") as new:
        for block in iter(lambda: old.read(_BLOCK), b""):
            new.write(block)


def _private(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE)


def note_program(folder: Path, command: Command) -> None:
    """State what is run, before it leaves anything."""
    _state(folder, {"script": command.title})


def note_outcome(folder: Path, command: Command, ending: Ending, why: str = "") -> None:
    """State how it ended, and why if it was we who ended it."""
    recorded = processes(folder)
    killed = f"the program was killed by {signal_name(ending.signal)}" if ending.signal else ""
    stated = {
        "script": command.title,
        "exit_code": ending.code,
        "framework": _framework(recorded),
        "interrupted": why or killed,
    }
    _state(folder, {**stated, **_death(recorded)})


def _state(folder: Path, stated: Mapping[str, object]) -> None:
    with suppress(OSError), open(_private(folder / PROGRAM), "w", encoding="utf-8") as file:
        json.dump(stated, file)


def _framework(recorded: list[Process]) -> str:
    imported = {name for process in recorded for name in process.imported.split()}
    imported |= {"torch" for process in recorded if process.torch}
    return next((name for name in _FRAMEWORKS if name in imported), "")


def _death(recorded: list[Process]) -> Mapping[str, str]:
    died = next((process for process in reversed(recorded) if process.died), None)
    if died is None:
        return {}
    return {"died": died.died, "where": short_place(died.where) if died.where else ""}


def discard(folder: Path) -> None:
    """Remove the folder of a run that left nothing to read."""
    if recordings(folder):
        return
    for name in (PROCESSES, PROGRAM, CONSOLE):
        (folder / name).unlink(missing_ok=True)
    for parent, folders, files in os.walk(folder / WRITTEN, topdown=False):
        for name in files:
            Path(parent, name).unlink()
        for name in folders:
            Path(parent, name).rmdir()
    with suppress(OSError):
        (folder / WRITTEN).rmdir()
    # A process that outlives the program may have written something after all.
    with suppress(OSError):
        folder.rmdir()
