"""From a path to the sources worth reading, and which of them traindx itself wrote."""

import os
import re
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

from traindx.errors import UnreadableError, refused
from traindx.facts import EXPERIMENT
from traindx.readers.binary.recording_file import meta_in
from traindx.readers.binary.recording_format import SUFFIX
from traindx.readers.binary.sqlite import opened
from traindx.readers.types import HEAD_BYTES, Source

_NEAR: Annotated[int, "folders from the one that was named to the recording: a-1/control of treatments"] = 2
_REPORT = re.compile(rb'\s*\{\s*"schema":\s*"traindx\.\w+/\d+"|# traindx: ')
"""How every document begins that traindx writes as data, and every diagnosis that it writes as Markdown."""


def is_report(source: Source) -> bool:
    """Whether a file is what a command of traindx wrote with --json or --md."""
    return _REPORT.match(source.head) is not None


def is_hidden_experiment(source: Source, top: str) -> bool:
    """Whether it records what traindx tried, deep below a folder that was named for other things.

    Arms of treatments, rehearsals and searches for a rate say so of themselves, wherever they lie.
    """
    path = Path(source.path)
    if path.suffix != SUFFIX or len(Path(os.path.relpath(path, top)).parts) - 1 <= _NEAR:
        return False
    try:
        with opened(source) as connection:
            return EXPERIMENT.slug in meta_in(connection)
    except (sqlite3.Error, OSError):
        return False


_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", "site-packages", ".venv"})
_OWN_FOLDER = ".traindx"
_OWN_FILES = frozenset(
    {"report.html", "report.json", "report.md", "processes.jsonl", "changes.jsonl", "output.txt"}
)
"""What traindx writes beside a recording, what the program printed included: the recording says it better."""
STANDARD_INPUT = "-"


def discover(path: str) -> Iterator[Source | UnreadableError]:
    """Yield the sources at a path; a place that cannot be opened comes as the error that says so."""
    if path == STANDARD_INPUT:
        yield in_memory("standard input", sys.stdin.buffer.read())
        return
    if not os.path.lexists(path):
        yield UnreadableError(path, "no such file or folder", "check the spelling and the working directory")
        return
    if Path(path).is_dir():
        closed: list[OSError] = []
        for file in files_below(path, closed.append):
            yield _source(file)
        yield from (refused(str(error.filename), error) for error in closed)
        return
    yield _source(path)


def files_below(folder: str, on_error: Callable[[OSError], None] | None = None) -> Iterator[str]:
    """Every regular file below a folder, in a stable order, version-control and package folders left out."""
    for parent, folders, files in os.walk(folder, onerror=on_error):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
        ours = _OWN_FOLDER in Path(parent).parts or any(Path(name).suffix == SUFFIX for name in files)
        for name in sorted(files):
            file = os.path.join(parent, name)
            if not (ours and _goes_with_a_recording(name)) and Path(file).is_file():
                yield file


def _goes_with_a_recording(name: str) -> bool:
    return name in _OWN_FILES or name.endswith((f"{SUFFIX}-wal", f"{SUFFIX}-shm"))


def _source(path: str) -> Source | UnreadableError:
    try:
        mode = Path(path).stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            return UnreadableError(path, "is neither a file nor a folder", "give a log file")
        if stat.S_ISFIFO(mode):
            with Path(path).open("rb") as stream:
                return in_memory(path, stream.read())
        with Source(path, b"").open() as stream:
            return Source(path, stream.read(HEAD_BYTES))
    except OSError as error:
        return refused(path, error)


def in_memory(path: str, data: bytes) -> Source:
    """A source of bytes that are no file."""
    with Source(path, b"", data).open() as stream:
        return Source(path, stream.read(HEAD_BYTES), data)
