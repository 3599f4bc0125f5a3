"""Trial runs that finished in an earlier treatment of the same command: they are not run again."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock

from traindx import __version__
from traindx.format import count
from traindx.trials.program import ArmSpec, Ended
from traindx.trials.runner import ArmResult, Runner, done_from
from traindx.trials.workspace import Workspace

FINISHED = "finished.txt"
"""In the folder of a treatment: a line of JSON for every run of it that finished well."""
_SECONDS = 24 * 3600.0
"""For how long a run is taken over: what a program reads elsewhere may be another by then."""
_TERMINALS = (
    "_",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "TERM",
    "COLUMNS",
    "LINES",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
)
_PREFIXES = ("TRAINDX", "SSH_", "TMUX", "XDG_SESSION", "VSCODE_", "TERM_")
"""Variables that differ between two terminals, and that no training depends on."""


@dataclass
class CachedRunner:
    """A runner that looks for a finished run of an earlier treatment before it runs an arm."""

    runner: Runner
    workspace: Workspace
    folder: Path
    """Of this treatment; others are beside it."""
    _taken: dict[str, int] = field(default_factory=dict)
    """How many runs were taken over, by the name of their treatment."""
    _lock: Lock = field(default_factory=Lock)

    def carry_out(self, order: ArmSpec) -> ArmResult:
        """Take over a run, or run the arm and note that it finished."""
        # What is timed depends on the hour, and weights are not kept.
        if order.is_timed or order.saves is not None or not self.workspace.copies:
            return self.runner.carry_out(order)
        key = self._key(order)
        past = self._past.get(key)
        if past is not None and (done := past.result(order)) is not None:
            with self._lock:
                self._taken[past.treatment] = self._taken.get(past.treatment, 0) + 1
            return done
        done = self.runner.carry_out(order)
        if done.run is not None and not done.problem:
            self._note(key, done)
        return done

    def at_once(self, *, timed: bool) -> int:
        """As many as the runner has room for."""
        return self.runner.at_once(timed=timed)

    def threads(self, *, timed: bool) -> int:
        """As many as the runner gives them."""
        return self.runner.threads(timed=timed)

    @property
    def lost(self) -> str:
        """Why no more arms can be run; empty while they can."""
        return self.runner.lost

    @property
    def notes(self) -> tuple[str, ...]:
        """What was taken over, and what the runner notes."""
        if not self._taken:
            return self.runner.notes
        runs = count(sum(self._taken.values()), "finished trial run")
        source = ", ".join(sorted(self._taken))
        return f"{runs} reused from {source}; delete {source} to run them again", *self.runner.notes

    def close(self) -> None:
        """End all arms that are running."""
        self.runner.close()

    def _note(self, key: str, done: ArmResult) -> None:
        told = {
            "key": key,
            "folder": done.order.folder.relative_to(self.folder).as_posix(),
            "place": str(done.order.place),
            "seconds": done.seconds,
        }
        with self._lock, (self.folder / FINISHED).open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")

    def _key(self, order: ArmSpec) -> str:
        """What a run depends on, as far as we know it."""
        parts = (
            __version__,
            order.command.program,
            order.command.words,
            [str(change) for change in order.changes],
            order.seed,
            order.steps,
            order.is_cut,
            order.observes,
            [(name, sha256(content).hexdigest()) for name, content in order.replaced],
            self._surroundings,
        )
        return sha256(json.dumps(parts).encode()).hexdigest()

    @cached_property
    def _surroundings(self) -> str:
        """The files of the project and the environment."""
        files = sorted((name, _digest(path)) for path, name in self.workspace.files())
        variables = sorted(
            (name, value)
            for name, value in os.environ.items()
            if name not in _TERMINALS and not name.startswith(_PREFIXES)
        )
        text = json.dumps([str(self.workspace.root), self.workspace.inside, files, variables])
        return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

    @cached_property
    def _past(self) -> dict[str, "_Past"]:
        """The runs of the treatments beside this one, the latest of each."""
        written = {path: path.stat().st_mtime for path in self.folder.parent.glob(f"*/{FINISHED}")}
        recent = [path for path in written if time.time() - written[path] < _SECONDS]
        lists = sorted(recent, key=written.__getitem__)
        return {past.key: past for path in lists for past in _past_in(path)}


@dataclass(frozen=True)
class _Past:
    """A run that finished in another treatment."""

    key: str
    treatment: str
    folder: Path
    place: Path
    seconds: float

    def result(self, order: ArmSpec) -> ArmResult | None:
        """What came of it, as that of an order; None where it is not there any more."""
        done = done_from(replace(order, folder=self.folder, place=self.place), Ended(0, self.seconds))
        return done if done.run is not None else None


_READ = 16 << 20
"""Bytes above which a file is told by its size and time."""


def _digest(path: Path) -> str:
    status = path.stat()
    if status.st_size > _READ:
        return f"{status.st_size} {status.st_mtime_ns}"
    return sha256(path.read_bytes()).hexdigest()


def _past_in(path: Path) -> Iterator[_Past]:
    for line in path.read_text("utf-8", "replace").splitlines():
        try:
            record = json.loads(line)
            folder, workspace = path.parent / record["folder"], Path(record["place"])
            yield _Past(record["key"], path.parent.name, folder, workspace, float(record["seconds"]))
        except (ValueError, KeyError, TypeError):  # a line that was cut when the disk was full
            continue
