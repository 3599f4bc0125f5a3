"""The folders that an agent may name paths in; a path is followed to its end before it is judged."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from traindx.errors import TraindxError
from traindx.format import printable
from traindx.readers.loading.files import files_below

_OURS = ".traindx"
_BESIDE = ("files", ".hydra", "params")
"""Folders beside a log in which settings are looked for."""


@dataclass(frozen=True)
class Roots:
    """The folders of the server, and those that the client names: a path must lie in one of each."""

    folders: tuple[Path, ...]
    """Resolved; relative paths begin at the first."""
    named_by_client: tuple[Path, ...] | None = None
    """None where the client names none, or cannot."""

    @property
    def home(self) -> Path:
        """Where relative paths begin."""
        return self.folders[0]

    def narrowed(self, uris: Iterable[str]) -> "Roots":
        """The same folders, as far as the client names them too: it can only take away."""
        places = [_folder_of(uri) for uri in uris]
        return Roots(self.folders, tuple(path for path in places if path is not None))

    def inside(self, path: str) -> Path:
        """Where a path leads to, links and dots followed; raises where that is outside, or nowhere."""
        real = self._followed(path)
        if not os.path.exists(real):
            raise TraindxError(f"{printable(path, 300)}: no such file or folder in {self._named()}")
        return real

    def readable(self, path: str) -> str:
        """A log, or a folder of logs, as it is called from the first root; no link in it may lead outside."""
        real = self.inside(path)
        if not (real.is_dir() or real.is_file()):
            raise TraindxError(f"{printable(path, 300)}: neither a file nor a folder; choose a log")
        for link in _links(real):
            if not self._holds(_real(link)):
                shown = printable(self.shown(link), 300)
                raise TraindxError(
                    f"{shown}: a link out of the allowed folders; pass the logs next to it one by one,"
                    " or start traindx mcp with another --root"
                )
        return self.shown(real)

    def output(self, folder: Path, name: str) -> Path:
        """A folder for what is written: only ever below `.traindx` of a folder in the roots."""
        path = _real(folder / _OURS / name)
        if not self._holds(path):
            raise TraindxError(
                f"{printable(str(folder / _OURS), 300)}: a link out of the allowed folders; remove it"
            )
        return path

    def shown(self, place: Path) -> str:
        """A place as it is called from the first root."""
        return str(place.relative_to(self.home)) if place.is_relative_to(self.home) else str(place)

    def _followed(self, path: str) -> Path:
        if not path or "\0" in path:
            raise TraindxError(f"{path!r}: not a path; choose a file or folder in {self._named()}")
        real = _real(self.home / path)
        if not self._holds(real):
            raise TraindxError(
                f"{printable(path, 300)}: not in the allowed folders; choose a path in {self._named()}"
            )
        return real

    def _holds(self, path: Path) -> bool:
        ours = any(path.is_relative_to(folder) for folder in self.folders)
        theirs = self.named_by_client
        return ours and (theirs is None or any(path.is_relative_to(folder) for folder in theirs))

    def _named(self) -> str:
        return ", ".join(printable(str(folder), 200) for folder in self.folders)


def roots_from(given: Iterable[str]) -> Roots:
    """The folders that were given, or the working directory; raises where one is no folder."""
    folders = []
    for path in given:
        # No shell has looked at what stands in the settings of an agent.
        expanded = os.path.expanduser(path)
        if not os.path.isdir(expanded):
            raise TraindxError(f"--root {path}: not a folder; pass the folder with the logs and scripts")
        folders.append(_real(Path(expanded)))
    if folders:
        return Roots(tuple(dict.fromkeys(folders)))
    here = _real(Path.cwd())
    if here == Path(here.anchor):
        # Some clients start servers there; nobody means the whole disk.
        raise TraindxError(
            f"the working directory is {here}, the whole disk; set the readable folder with --root DIR"
        )
    return Roots((here,))


def _folder_of(uri: str) -> Path | None:
    """The folder of a root that a client names; None for what is no file."""
    parts = urlsplit(uri)
    return _real(Path(unquote(parts.path))) if parts.scheme == "file" and parts.path else None


def _real(path: Path) -> Path:
    """Where a path leads to; also of what is not there yet."""
    return Path(os.path.realpath(path))


def _links(path: Path) -> Iterator[Path]:
    """The links that reading a place would follow, those of the settings beside a log included."""
    files = map(Path, files_below(str(path))) if path.is_dir() else path.parent.iterdir()
    parents = {path if path.is_dir() else path.parent}
    for file in files:
        parents.add(file.parent)
        if file.is_symlink() and file.is_file():
            yield file
    for folder in (parent / name for parent in parents for name in _BESIDE):
        if folder.is_symlink():
            yield folder
        elif folder.is_dir():
            yield from (file for file in folder.iterdir() if file.is_symlink() and file.is_file())
