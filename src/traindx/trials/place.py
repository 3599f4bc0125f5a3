"""The working directory of arms: a copy, so that checkpoints and logs of the program are left alone."""

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from traindx.run import Run

_LARGEST = 256 << 20
"""Bytes that are copied for every arm at most."""
_LEFT_OUT = {"__pycache__", "node_modules", "venv", "site-packages", "lightning_logs", "wandb", "mlruns"}


@dataclass(frozen=True)
class Workplace:
    """Where the program is run."""

    origin: Path
    copies: bool
    """Whether every arm gets a copy of it; it is too large where not."""
    besides: tuple[Path, ...] = ()
    """Folders below it that are copied although they are hidden: the program is in them."""
    without: Path | None = None
    """What is not copied: where the arms are."""

    def arm(self, folder: Path) -> Path:
        """The working directory of one arm."""
        if not self.copies:
            return self.origin
        into = _copy(folder)
        for path, name in self.files():
            target = into / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
        into.mkdir(parents=True, exist_ok=True)
        return into

    def files(self) -> Iterator[tuple[Path, str]]:
        """What an arm gets of it, each file with its name below the directory."""
        for path in _files((self.origin, *self.besides), self.without):
            yield path, path.relative_to(self.origin).as_posix()

    def clear(self, folder: Path) -> None:
        """Remove the copy of an arm that is over."""
        if self.copies:
            shutil.rmtree(_copy(folder), ignore_errors=True)


def _copy(folder: Path) -> Path:
    """Where the copy for an arm goes: beside its folder, or recordings in it would be taken for the arm's."""
    return folder.with_name(f"{folder.name}.work")


def workplace(origin: Path, words: Iterable[str] = (), without: Path | None = None) -> Workplace:
    """How arms of a command are run below a directory: in copies where it is small enough."""
    named = [Path(word) for word in words]
    besides = tuple(
        (origin / path).parent
        for path in named
        if not path.is_absolute() and any(map(_is_left_out, path.parts[:-1])) and (origin / path).is_file()
    )
    size = 0
    for path in _files((origin, *besides), without):
        size += path.stat().st_size
        if size > _LARGEST:
            return Workplace(origin, copies=False)
    return Workplace(origin, copies=True, besides=besides, without=without)


def relocated(run: Run, copy: Path, origin: Path) -> Run:
    """A run whose places name the program's own files, not those of the copy it ran in."""
    if copy == origin:
        return run
    inside = str(copy.resolve()) + os.sep
    facts = {
        fact: value.replace(inside, "") if isinstance(value, str) else value
        for fact, value in run.facts.items()
    }
    return replace(run, facts=facts)


def _is_left_out(name: str) -> bool:
    return name in _LEFT_OUT or (name.startswith(".") and name not in (".", ".."))


def _files(roots: Iterable[Path], without: Path | None) -> Iterator[Path]:
    for top, folders, names in chain.from_iterable(map(os.walk, roots)):
        folders[:] = [name for name in folders if not _is_left_out(name) and Path(top, name) != without]
        for name in names:
            path = Path(top, name)
            if path.is_file() and os.access(path, os.R_OK):
                yield path
