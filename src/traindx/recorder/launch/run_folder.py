"""The folder of a run, made before the program starts."""

import os
import re
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path

from traindx.errors import TraindxError

_OURS = ".traindx"


def new_run_folder(out: Path, stem: str, name: str | None = None) -> Path:
    """Make OUT/STEM-N with the next free number; with a name OUT/NAME, numbered only where that is taken."""
    if name is not None and (name in ("", ".", "..") or "/" in name or "\0" in name):
        raise TraindxError(f'--name "{name}": is no name for a folder; --out says where the folder goes')
    try:
        _make(out)
        candidates = _numbered(out, stem, 1) if name is None else chain([name], _numbered(out, name, 2))
        return _first_free(out, candidates)
    except OSError as error:
        where = out if error.filename is None else error.filename
        raise TraindxError(f"{where}: cannot be written ({error.strerror}); choose another --out") from error


def _make(folder: Path) -> None:
    """Make a folder and those above it; the one that is ours stays out of version control."""
    for one in reversed([folder, *folder.parents]):
        if one.is_dir():
            continue
        one.mkdir(exist_ok=True)
        if one.name == _OURS:
            (one / ".gitignore").write_text("*\n")


def _numbered(out: Path, stem: str, first: int) -> Iterator[str]:
    pattern = re.compile(re.escape(stem) + r"-(\d{1,9})")
    taken = [int(found[1]) for one in os.scandir(out) if (found := pattern.fullmatch(one.name))]
    return (f"{stem}-{number}" for number in count(max([first - 1, *taken]) + 1))


def _first_free(out: Path, names: Iterator[str]) -> Path:
    for name in names:
        folder = out / name
        try:
            # Making it is what claims it: of two runs that start at once, one goes on to the next number.
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise AssertionError("numbers do not end")
