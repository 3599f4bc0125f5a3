"""The program of an arm: the copy of the working directory that it runs in, and one run of it.

Needs nothing beside Python, so that a node of a cluster can do it. It runs in a copy so that checkpoints and
logs of the program are left alone.
"""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from traindx.changes.types import ChangeSpec
from traindx.errors import TraindxError
from traindx.recorder.launch.command import TRIAL, Command, recording_environment

if TYPE_CHECKING:
    from traindx.run import Run

IN_PLACE = "the program ran in the working directory itself and may have overwritten its own output files"

_LARGEST = 256 << 20
"""Bytes that are copied for every arm at most."""
_LEFT_OUT = {"__pycache__", "node_modules", "venv", "site-packages", "lightning_logs", "wandb", "mlruns"}


@dataclass(frozen=True)
class Workspace:
    """Where the program is run."""

    origin: Path
    copies: bool
    """Whether every arm gets a copy of it."""
    besides: tuple[Path, ...] = ()
    """Folders below it that are copied although they are hidden: the program is in them."""
    without: tuple[Path, ...] = ()
    """What is not copied: where arms are."""

    def arm(self, folder: Path) -> Path:
        """The working directory of one arm."""
        if not self.copies:
            return self.origin
        into = _copy(folder)
        into.mkdir(parents=True, exist_ok=True)
        for path, name in self._folders():
            target = into / name
            if path.is_symlink():
                # Such as data that lies elsewhere, which may be large.
                target.symlink_to(self._pointed(path), target_is_directory=True)
            else:
                target.mkdir(parents=True, exist_ok=True)
        for path, name in self.files():
            shutil.copy2(path, into / name)
        return into

    def files(self) -> Iterator[tuple[Path, str]]:
        """What an arm gets of it, each file with its name below the directory."""
        for path in _files(self._roots, self.without):
            yield path, path.relative_to(self.origin).as_posix()

    @property
    def _roots(self) -> tuple[Path, ...]:
        return self.origin, *self.besides

    def _folders(self) -> Iterator[tuple[Path, str]]:
        """The folders of those files, and empty ones: a program may expect them to be there."""
        found = dict.fromkeys(self.besides)
        for top, folders, _ in _walked(self._roots, self.without):
            found |= dict.fromkeys(top / name for name in folders)
        for path in found:
            yield path, path.relative_to(self.origin).as_posix()

    def _pointed(self, link: Path) -> Path:
        """What a link of an arm points at: inside of the directory to the same in the copy."""
        there = link.readlink()
        is_inside = not there.is_absolute() and link.resolve().is_relative_to(self.origin.resolve())
        return there if is_inside else link.resolve()

    def clear(self, folder: Path) -> None:
        """Remove the copy of an arm that is over."""
        if self.copies:
            shutil.rmtree(_copy(folder), ignore_errors=True)


def _copy(folder: Path) -> Path:
    """Where the copy for an arm goes: beside its folder, or recordings in it would be taken for the arm's."""
    return folder.with_name(f"{folder.name}.work")


def workspace_of(
    origin: Path, words: Iterable[str] = (), arms: Path | None = None, *, in_place: bool = False
) -> Workspace:
    """How arms of a command are run below a directory: in copies, or in it where that is asked for.

    `arms` is the new folder that theirs are made in; others of its kind lie beside it. It is removed where
    the directory is too large for copies, which is refused.
    """
    if in_place:
        return Workspace(origin, copies=False)
    without = (arms, arms.parent) if arms is not None else ()
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
            if arms is not None:
                arms.rmdir()
            raise TraindxError(
                f"{origin} has more than {_LARGEST >> 20} MB, too much to copy for each trial run;"
                " use --in-place to run there (may overwrite files the program writes)"
            )
    return Workspace(origin, copies=True, besides=besides, without=without)


def relocated(run: "Run", copy: Path, origin: Path) -> "Run":
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


def _walked(roots: Iterable[Path], without: Sequence[Path]) -> Iterator[tuple[Path, list[str], list[str]]]:
    """The folders below some, each with what is in it; links to folders are named and not followed."""
    for top, folders, names in chain.from_iterable(map(os.walk, roots)):
        folders[:] = [name for name in folders if not _is_left_out(name) and Path(top, name) not in without]
        yield Path(top), folders, names


def _files(roots: Iterable[Path], without: Sequence[Path]) -> Iterator[Path]:
    for top, _, names in _walked(roots, without):
        for path in (top / name for name in names):
            if path.is_file() and os.access(path, os.R_OK):
                yield path


OUTPUT = "output.txt"
_LOOKS = 60
"""Looks of the recorder at layers and predictions, over an arm."""
_GRACE = 5.0
"""Seconds between asking a program to end and ending it."""
_GLANCE = 0.2
"""Seconds after which it is looked whether the program is to be stopped."""


@dataclass(frozen=True)
class ArmSpec:
    """What an arm is to be."""

    command: Command
    folder: Path
    """Where its recording and its output go."""
    place: Path
    """The working directory."""
    changes: tuple[ChangeSpec, ...] = ()
    seed: int = 0
    steps: int | None = None
    """How many steps it takes, where that is known."""
    is_cut: bool = False
    """Whether it is ended after these steps; else it ends by itself."""
    seconds: float = 600.0
    """After which it is ended."""
    waits: float = 600.0
    """Seconds it may wait until there is room for it, where others use the machines as well."""
    threads: int | None = None
    saves: Path | None = None
    """Where the weights of its model go."""
    observes: tuple[str, ...] = ()
    """Observers that look inside the program, by the names of their modules."""
    replaced: tuple[tuple[str, bytes], ...] = ()
    """Files of the working directory that have another content in this arm."""
    is_timed: bool = False
    """Whether it is its speed that counts."""


@dataclass(frozen=True)
class Ended:
    """How the program ended."""

    code: int | None
    """None where it was ended because its time was over."""
    seconds: float


def run_program(
    order: ArmSpec,
    environment: Mapping[str, str],
    *,
    stop: Event | None = None,
    started: Callable[[int], None] = lambda pid: None,
) -> Ended:
    """Run the program to its end, to the end of its time, or until it is to be stopped.

    `started` is told the number of its group of processes.
    """
    began = time.monotonic()
    with (order.folder / OUTPUT).open("wb") as output:
        # A group of its own: what the program starts ends with it, and Ctrl-C is ours. Not a session:
        # Linux shares processors out by sessions, and a busy one would starve it.
        process = subprocess.Popen(  # noqa: S603  # the user's own command
            list(order.command.words),
            executable=order.command.program,
            cwd=order.place,
            env=_environment(order, environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        try:
            started(process.pid)
            code = _code(process, began + order.seconds, stop)
        finally:
            _end(process)
    return Ended(code, time.monotonic() - began)


def _code(process: "subprocess.Popen[bytes]", until: float, stop: Event | None) -> int | None:
    while (left := until - time.monotonic()) > 0 and not (stop and stop.is_set()):
        with suppress(subprocess.TimeoutExpired):
            return process.wait(min(left, _GLANCE) if stop else left)
    return process.poll()


def _environment(order: ArmSpec, environment: Mapping[str, str]) -> dict[str, str]:
    every = max(1, (order.steps or 1000) // _LOOKS)
    most = order.steps if order.is_cut else None
    found = recording_environment(environment, order.folder, budget=1.0, every=every, most_steps=most)
    asked = {
        "folder": str(order.folder.resolve()),
        "seed": order.seed,
        "steps": order.steps,
        "changes": [str(change) for change in order.changes],
        "saves": str(order.saves) if order.saves else None,
        "observes": order.observes,
    }
    found[TRIAL] = json.dumps(asked)
    if order.threads is not None:
        found.setdefault("OMP_NUM_THREADS", str(order.threads))
    return found


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program and everything it started."""
    for number, seconds in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, _GRACE)):
        if process.poll() is not None and number is signal.SIGTERM:
            break
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            break
    # What it left running in the background, such as workers of a loader.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
