"""The files that a program writes: what its Python processes told of, and what the others hold open.

Python tells of every file it opens for writing, see `traindx_import_hook.py`. Of other processes Linux shows
which files they hold open; a file that such a process closes between two looks is not seen.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from traindx.recorder.launch.outcome import processes
from traindx.recorder.launch.process_tree import family

_GROWTH, _LONGEST = 1.25, 60.0
"""How much later than the last each look comes, and the seconds after which the next one comes at the latest:
a log is mostly opened early, and kept open."""
_WRITING = os.O_WRONLY | os.O_RDWR
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
        told = {one.wrote for one in processes(folder) if one.wrote}
        found = set()
        for path in self._paths | told:
            with suppress(OSError, ValueError):
                status = os.stat(path)
                found.add((status.st_dev, status.st_ino))
        return found


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
            if int(flags, 8) & _WRITING:
                yield path
