"""The project that a program is run in: which folder that is, and a copy of it for every arm.

Needs nothing beside Python, so that a node of a cluster can do it. Arms run in copies so that checkpoints and
logs of the program are left alone.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from traindx.errors import TraindxError
from traindx.recorder.launch.project import files_of, is_left_out, may_be_project, project_of, walked

if TYPE_CHECKING:
    from traindx.run import Run

IN_PLACE = "the program ran in the working directory itself and may have overwritten its own output files"

_LARGEST = 256 << 20
"""Bytes that are copied for every arm at most."""
_COPIED_WHOLE = 32 << 20
"""Bytes of a project that is copied with its data; of a larger one, arms get links to files of data."""
_DATA = frozenset(
    ".csv .tsv .txt .jsonl .npy .npz .bin .dat .idx .data .arff .png .jpg .jpeg .bmp .gif .webp .tif .tiff"
    " .ppm .wav .flac .mp3 .ogg .mp4 .avi .gz .bz2 .xz .zst .zip .tar .tgz .7z .fasta .fa .vcf .dcm".split()
)
"""Files that only hold data. Checkpoints, databases, HDF5 and Parquet are not among them: what is compiled
writes to those without asking Python, and so behind the back of whoever looks after the links."""


@dataclass(frozen=True)
class Workspace:
    """Where the program is run."""

    origin: Path
    """The working directory."""
    copies: bool
    """Whether every arm gets a copy of the project."""
    besides: tuple[Path, ...] = ()
    """Folders below it that are copied although they are hidden: the program is in them."""
    without: tuple[Path, ...] = ()
    """What is not copied: where arms are."""
    project: Path | None = None
    """The folder that is copied, the working directory in it; None for the working directory alone."""
    links_data: bool = False
    """Whether files of data are links in the copies."""

    @property
    def root(self) -> Path:
        """The folder that is copied."""
        return self.project or self.origin

    @property
    def inside(self) -> str:
        """The working directory as seen from the top of the project: "." or "examples/one"."""
        return os.path.relpath(self.origin, self.root)

    def arm(self, folder: Path) -> Path:
        """The working directory of one arm."""
        if not self.copies:
            return self.origin
        top = _copy(folder)
        top.mkdir(parents=True, exist_ok=True)
        for path, name in self._folders():
            target = top / name
            if path.is_symlink():
                # Such as data that lies elsewhere, which may be large.
                target.symlink_to(self._pointed(path), target_is_directory=True)
            else:
                target.mkdir(parents=True, exist_ok=True)
        for path, name in self.files():
            # Other programs may write in the project meanwhile: what came or went since is not copied.
            with suppress(FileNotFoundError):
                if self.links_data and is_data(path):
                    (top / name).symlink_to(path.resolve())
                else:
                    shutil.copy2(path, top / name)
        return top / self.inside

    def top(self, place: Path) -> Path:
        """The top of the copy that a working directory is in."""
        return place if self.inside == os.curdir else place.parents[self.inside.count(os.sep)]

    def files(self) -> Iterator[tuple[Path, str]]:
        """What an arm gets of it, each file with its name below the project."""
        for path in files_of(self._roots, self.without):
            yield path, path.relative_to(self.root).as_posix()

    @property
    def _roots(self) -> tuple[Path, ...]:
        return self.root, *self.besides

    def _folders(self) -> Iterator[tuple[Path, str]]:
        """The folders of those files, and empty ones: a program may expect them to be there."""
        roots = dict.fromkeys((*self.besides, self.origin))
        for top, folders, _ in walked(self._roots, self.without):
            roots |= dict.fromkeys(top / name for name in folders)
        for path in roots:
            yield path, path.relative_to(self.root).as_posix()

    def _pointed(self, link: Path) -> Path:
        """What a link of an arm points at: inside of the project to the same in the copy."""
        there = link.readlink()
        is_inside = not there.is_absolute() and link.resolve().is_relative_to(self.root.resolve())
        return there if is_inside else link.resolve()

    def clear(self, folder: Path) -> None:
        """Remove the copy of an arm that is over."""
        if self.copies:
            shutil.rmtree(_copy(folder), ignore_errors=True)


def _copy(folder: Path) -> Path:
    """Where the copy for an arm goes: beside its folder, or recordings in it would be taken for the arm's."""
    return folder.with_name(f"{folder.name}.work")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def is_data(path: Path) -> bool:
    """Whether a file only holds data, as its name tells."""
    return path.suffix.lower() in _DATA


def workspace_of(
    origin: Path,
    words: Iterable[str] = (),
    arms: Path | None = None,
    *,
    in_place: bool = False,
    root: Path | None = None,
    may_link: bool = True,
) -> Workspace:
    """How arms of a command are run below a directory: in copies, or in it where that is asked for.

    `arms` is the new folder that theirs are made in; others of its kind lie beside it. It is removed where
    the project is too large for copies, which is refused. `root` is the project where that is known;
    `may_link` says whether what is copied lies on the same disk as the project.
    """
    if in_place:
        return Workspace(origin, copies=False)
    words = list(words)
    root = _common([root or project_of(origin), *_named_above(origin, words)])
    without = (arms, arms.parent) if arms is not None else ()
    besides = tuple(
        (origin / path).parent
        for path in map(Path, words)
        if not path.is_absolute() and any(map(is_left_out, path.parts[:-1])) and (origin / path).is_file()
    )
    sizes = {path: _size(path) for path in files_of((root, *besides), without)}
    links_data = may_link and sum(sizes.values()) > _COPIED_WHOLE
    size = sum(size for path, size in sizes.items() if not (links_data and is_data(path)))
    if size > _LARGEST:
        if arms is not None:
            arms.rmdir()
        raise TraindxError(
            f"{root} has more than {_LARGEST >> 20} MB, too much to copy for each trial run;"
            " use --in-place to run there (may overwrite files the program writes)"
        )
    return Workspace(
        origin,
        copies=True,
        besides=besides,
        without=without,
        project=None if root == origin else root,
        links_data=links_data,
    )


def _named_above(origin: Path, words: Iterable[str]) -> Iterator[Path]:
    """What words of a command name above the working directory, such as --data=../data."""
    for word in words:
        path = word.rpartition("=")[2]
        if path.startswith(os.pardir) and (origin / path).exists():
            yield Path(os.path.normpath(origin / path))


def _common(paths: Sequence[Path]) -> Path:
    """The folder that holds all of them; the first where that would be everything."""
    common = Path(os.path.commonpath(paths))
    return common if may_be_project(common) else paths[0]


def wider(workspace: Workspace, problem: str) -> Path | None:
    """A larger project that holds what a program missed in its copy, by its last words; None if none does."""
    if not workspace.copies:
        return None
    words = [word.strip("\"'`,;:()[]") for word in problem.split()]
    if "No module named" in problem:
        names = [word.partition(".")[0] for word in words]
        above = workspace.root.parents[:_HIGHEST]
        existing = [
            folder / name
            for folder in above
            for name in names
            if name.isidentifier() and ((folder / name).is_dir() or (folder / f"{name}.py").is_file())
        ]
    else:
        paths = [Path(os.path.normpath(workspace.origin / word)) for word in words if os.pardir in word]
        existing = [path for path in paths if path.exists()]
    outside = [path for path in existing if not path.is_relative_to(workspace.root)]
    roots = [_common([workspace.root, path]) for path in outside if not workspace.root.is_relative_to(path)]
    return next((root for root in roots if root != workspace.root), None)


_HIGHEST = 3
"""Folders above a project in which a module is looked for."""


def moved(word: str, workspace_root: Path, top: Path) -> str:
    """A path below the project as one below its copy, where that has it or may get it."""
    if os.path.isabs(word) and Path(word).is_relative_to(workspace_root):
        new = top / Path(word).relative_to(workspace_root)
        return str(new) if new.parent.is_dir() else word
    return word


def relocated(run: "Run", place: Path, workspace: Workspace) -> "Run":
    """A run whose places name the program's own files, not those of the copy it ran in."""
    if place == workspace.origin:
        return run
    here = str(place.resolve()) + os.sep
    top = str(workspace.top(place).resolve()) + os.sep

    def original(value: str) -> str:
        return value.replace(here, "").replace(top, str(workspace.root) + os.sep)

    facts = {fact: original(value) if isinstance(value, str) else value for fact, value in run.facts.items()}
    return replace(run, facts=facts)
