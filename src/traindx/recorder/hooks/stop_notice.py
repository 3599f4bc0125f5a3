"""Ending a program from inside; word of the stop, or of a lost recording, to the process that started it.

A full disk is told nowhere in a file that it left empty.
"""

import json
import os
import resource
import shutil
import signal
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import NoReturn

from traindx.recorder.recorder import Recorder
from traindx.run import EventKind

PROCESSES = "processes.jsonl"
"""Where processes of a program tell about themselves, in the folder of the run."""
_NOTHING_LEFT = 65_536
"""Bytes that are too few for a disk to be called anything but full."""


def leave_word(folder: Path, recorder: Recorder) -> None:
    """Tell the process that started the program of a fault that the recording does not tell of."""
    writer = recorder.writer
    # Only a process that began to train has something to write.
    if not recorder.ignored or writer.path is None or _tells(writer.path):
        return
    _tell(folder, problem="unwritten", why=_why(folder))


def tell_stopped(folder: Path, steps: int | None) -> None:
    """Tell that this process ends here because it has taken the steps it was to take."""
    _tell(folder, stopped=steps)


def _tell(folder: Path, **said: object) -> None:
    about = {"pid": os.getpid(), "python": sys.version.split()[0], "executable": sys.executable}
    line = json.dumps({**about, **said}) + "\n"
    # Some bytes at the end of a small file take no new room: they fit on a disk that is full.
    handle = os.open(folder / PROCESSES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


def _tells(path: Path) -> bool:
    """Whether a recording holds word of a fault itself."""
    try:
        with closing(sqlite3.connect(path)) as database:
            asked = "SELECT 1 FROM events WHERE kind = ?"
            return database.execute(asked, (EventKind.STEPPED_ASIDE.value,)).fetchone() is not None
    except sqlite3.Error:
        return False


def _why(folder: Path) -> str:
    if shutil.disk_usage(folder).free < _NOTHING_LEFT:
        return "no space left on the disk"
    largest, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if largest != resource.RLIM_INFINITY:
        return f"the file size limit is {largest:,} bytes (ulimit -f)"
    return "the file could not be written"


def end_program() -> NoReturn:
    """Leave the program as `sys.exit(0)` does: `finally`, `with` and atexit run, `except Exception` does not.

    Another thread than the main one can only end itself: the main one gets what Ctrl-C would give it.
    """
    main = threading.main_thread()
    if threading.current_thread() is not main and main.ident is not None:
        _say_nothing_of_interrupts()
        # A real signal, to that thread: it may be waiting for this one.
        signal.pthread_kill(main.ident, signal.SIGINT)
    raise SystemExit(0)


def _say_nothing_of_interrupts() -> None:
    """Print no traceback of a Ctrl-C that nobody typed."""
    otherwise = sys.excepthook

    def told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            otherwise(kind, error, trace)

    sys.excepthook = told
