"""The project that a working directory belongs to, and the files in it.

Needs nothing beside Python, so that a node of a cluster can do it.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

_LEFT_OUT = {
    "__pycache__",
    "node_modules",
    "venv",
    "site-packages",
    "lightning_logs",
    "wandb",
    "mlruns",
}
_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""What a project has at its top, the surest first."""


def project_of(origin: Path) -> Path:
    """The top of the project that a directory is in: that of its repository, else of its package.

    What lies in a hidden or installed folder of a project, such as our demo, is none of its files.
    """
    above = [
        parent
        for parent in (origin, *origin.parents)
        if may_be_project(parent) and not any(map(is_left_out, origin.relative_to(parent).parts))
    ]
    for mark in _MARKS:
        path = next((folder for folder in above if (folder / mark).exists()), None)
        if path is not None:
            return path
    return origin


def may_be_project(folder: Path) -> bool:
    """Whether a folder is one project: not what holds all that a person or a machine has."""
    return folder != Path(folder.anchor) and folder not in (Path.home(), *Path.home().parents)


def is_left_out(name: str) -> bool:
    """Whether a folder holds what is installed, made by a tool, or hidden."""
    return name in _LEFT_OUT or (name.startswith(".") and name not in (".", ".."))


def walked(
    roots: Iterable[Path], without: Sequence[Path] = ()
) -> Iterator[tuple[Path, list[str], list[str]]]:
    """The folders below some, each with what is in it; links to folders are named and not followed."""
    for top, folders, names in chain.from_iterable(map(os.walk, roots)):
        folders[:] = [
            name
            for name in folders
            if not is_left_out(name)
            and Path(top, name) not in without
            and not Path(top, name, "pyvenv.cfg").is_file()
        ]
        yield Path(top), folders, names


def files_of(roots: Iterable[Path], without: Sequence[Path] = ()) -> Iterator[Path]:
    """Every file below some folders that can be read."""
    for top, _, names in walked(roots, without):
        for path in (top / name for name in names):
            if path.is_file() and os.access(path, os.R_OK):
                yield path
