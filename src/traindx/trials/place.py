"""The working directory of arms: a copy, so that checkpoints and logs of the program are left alone."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LARGEST = 256 << 20
"""Bytes that are copied for every arm at most."""
_LEFT_OUT = {"__pycache__", "node_modules", "venv", "site-packages", "lightning_logs", "wandb", "mlruns"}


@dataclass(frozen=True)
class Workplace:
    """Where the program is run."""

    origin: Path
    copies: bool
    """Whether every arm gets a copy of it; it is too large where not."""

    def arm(self, folder: Path) -> Path:
        """The working directory of one arm."""
        if not self.copies:
            return self.origin
        into = folder / "work"
        for path in _files(self.origin):
            target = into / path.relative_to(self.origin)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
        into.mkdir(parents=True, exist_ok=True)
        return into

    def clear(self, folder: Path) -> None:
        """Remove the copy of an arm that is over."""
        if self.copies:
            shutil.rmtree(folder / "work", ignore_errors=True)


def workplace(origin: Path) -> Workplace:
    """How arms are run below a directory: in copies where it is small enough."""
    size = 0
    for path in _files(origin):
        size += path.stat().st_size
        if size > _LARGEST:
            return Workplace(origin, copies=False)
    return Workplace(origin, copies=True)


def _files(folder: Path) -> Iterator[Path]:
    for top, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _LEFT_OUT]
        for name in names:
            path = Path(top, name)
            if path.is_file() and os.access(path, os.R_OK):
                yield path
