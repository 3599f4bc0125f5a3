"""Where arms run, in processes of this machine unless something else is asked for, and what they left."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import ClassVar, Protocol

from traindx.changes.types import ChangeSpec
from traindx.curves.facts import is_recording
from traindx.errors import UnreadableError
from traindx.readers.loading.runs import load
from traindx.recorder.launch.command import NOTES, Command, command_from, new_run_folder
from traindx.recorder.launch.outcome import recordings, silence, stopped
from traindx.run import Run
from traindx.trials.program import OUTPUT, ArmSpec, Ended, run_program
from traindx.trials.workspace import IN_PLACE, Workspace, moved, relocated, workspace_of


@dataclass(frozen=True)
class ArmResult:
    """What came of it."""

    order: ArmSpec
    run: Run | None
    seconds: float
    problem: str = ""
    """Why it does not count; empty where it does."""
    refused: str = ""
    """Why the change did not take hold."""
    crashed: bool = False
    """Whether the program itself stopped with an error."""


def carry_out(order: ArmSpec, stop: Event | None = None) -> ArmResult:
    """Run the program to its end, or to the end of its time, or until it is to be stopped."""
    order.folder.mkdir(parents=True, exist_ok=True)
    return done_from(order, run_program(order, os.environ, stop=stop))


def done_from(order: ArmSpec, ended: Ended) -> ArmResult:
    """What a program left in the folder of its arm."""
    run = _recorded(order.folder)
    crashed = bool(ended.code) and run is not None and not stopped(order.folder)
    return ArmResult(order, run, ended.seconds, _problem(order, run, ended.code), _unapplied(order), crashed)


def _recorded(folder: Path) -> Run | None:
    if not recordings(folder):
        return None
    try:
        # What the program printed lies beside it, and may read like a log.
        runs = [run for run in load(folder) if is_recording(run)]
    except UnreadableError:  # it was ended before its first step
        return None
    return max(runs, key=lambda run: max((len(series) for series in run.series), default=0), default=None)


def _problem(order: ArmSpec, run: Run | None, code: int | None) -> str:
    if code is None:
        did = "finish" if run is not None else "reach its first step"
        return f"did not {did} within {order.seconds:.0f} s"
    if code and not stopped(order.folder):
        when = "" if run is not None else " before training"
        return f"exit code {code}{when}: {last_line(order.folder / OUTPUT)}"
    return "" if run is not None else str(silence(order.folder))


def last_line(path: Path) -> str:
    """What a program said last."""
    lines = [line.strip() for line in path.read_text("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no output"


def _unapplied(order: ArmSpec) -> str:
    """Why a change took hold nowhere, by what the program's side noted down; empty where all did."""
    notes = _notes(order.folder)
    taken = {note["change"] for note in notes if note["applied"]}
    missing = next((change for change in order.changes if str(change) not in taken), None)
    return refused(order.folder, missing) if missing is not None else ""


def _notes(folder: Path) -> Sequence[Mapping[str, object]]:
    try:
        lines = (folder / NOTES).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [json.loads(line) for line in lines if line.endswith("}")]


def applied(folder: Path) -> list[str]:
    """What was done to the program of an arm, in sentences."""
    return [str(note["says"]) for note in _notes(folder) if note["applied"]]


def refused(folder: Path, change: ChangeSpec) -> str:
    """Why a change was refused, be it at one of several places; empty where it took hold at all of them."""
    notes = [note for note in _notes(folder) if note["change"] == str(change)]
    reasons = [str(note["says"]) for note in notes if not note["applied"]]
    nothing = "" if notes else "nothing to change in this program"
    return reasons[0] if reasons else nothing


_MOST = 4
"""Arms in parallel on one machine, however many cores it has."""


_MISSING = ("No such file", "No module named")
_IN_A_COPY = "trial runs use a copy of {root}, so paths above it do not resolve; use --in-place"


class Runner(Protocol):
    """What an engine asks of the place where its arms run."""

    def carry_out(self, order: ArmSpec) -> ArmResult:
        """Run one arm to its end; called from several threads at once."""
        ...

    def at_once(self, *, timed: bool) -> int:
        """Arms that may run in parallel: one where it is time that is measured."""
        ...

    def threads(self, *, timed: bool) -> int:
        """Threads of each of them."""
        ...

    @property
    def lost(self) -> str:
        """Why no more arms can be run; empty while they can."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the results should know about how they were run."""
        ...

    def close(self) -> None:
        """End all arms that are running, and begin no others."""
        ...


@dataclass(frozen=True)
class LocalRunner:
    """Processes of this machine, never more arms of them than it has cores."""

    workspace: Workspace
    _stopped: Event = field(default_factory=Event)

    lost: ClassVar[str] = ""
    notes: ClassVar[tuple[str, ...]] = ()

    def carry_out(self, order: ArmSpec) -> ArmResult:
        """Run an arm in its working directory, which is gone afterward if it is a copy."""
        try:
            there = self.workspace.arm(order.folder)
            done = carry_out(self._moved(order, there), self._stopped)
        finally:
            self.workspace.clear(order.folder)
        if self.workspace.copies and done.run is None and any(sign in done.problem for sign in _MISSING):
            return replace(done, problem=f"{done.problem} ({_IN_A_COPY.format(root=self.workspace.root)})")
        return done

    def _moved(self, order: ArmSpec, there: Path) -> ArmSpec:
        """An arm as it is run in a copy: with its own content of files, and its paths below the copy."""
        if not self.workspace.copies:
            return order
        root, top = self.workspace.root, self.workspace.top(there)
        for name, content in order.replaced:
            # Not through a link: the file behind it is the user's.
            (top / name).unlink(missing_ok=True)
            (top / name).write_bytes(content)
        first, *words = order.command.words
        command = replace(order.command, words=(first, *(moved(word, root, top) for word in words)))
        return replace(order, place=there, command=command, moved=(root, top))

    def at_once(self, *, timed: bool) -> int:
        """As many as there are cores, up to four; one where they share a working directory."""
        return 1 if timed or not self.workspace.copies else min(_MOST, cores())

    def threads(self, *, timed: bool) -> int:
        """The cores, shared out among the arms."""
        return max(1, cores() // self.at_once(timed=timed))

    def close(self) -> None:
        """End the programs; nothing else was started."""
        self._stopped.set()


def cores() -> int:
    """The cores this process may use: a container or a batch system may give it fewer than there are."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_AT_ONCE = 2
"""Programs in parallel at most."""


@dataclass(frozen=True)
class ShortRuns:
    """A program that is run again and again."""

    command: Command
    runner: LocalRunner
    folder: Path
    """Where the recordings go, each in a folder of its own."""

    @classmethod
    def of(cls, words: Sequence[str], out: Path | str, name: str | None, *, in_place: bool) -> "ShortRuns":
        """Those of a command, in a new folder below `out`."""
        command = command_from(words, os.environ)
        folder = new_run_folder(Path(out), command.name, name).resolve()
        workspace = workspace_of(Path.cwd(), command.words, folder, in_place=in_place)
        return cls(command, LocalRunner(workspace), folder)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the results should know about how they were run."""
        return () if self.runner.workspace.copies else (IN_PLACE,)

    def carry_out(
        self,
        name: str,
        changes: tuple[ChangeSpec, ...],
        steps: int,
        *,
        seconds: float,
        observes: tuple[str, ...] = (),
        is_alone: bool = False,
    ) -> ArmResult:
        """Run it for some steps; `is_alone` says whether it may have all cores."""
        origin = self.runner.workspace.origin
        order = ArmSpec(
            command=self.command,
            folder=self.folder / name,
            place=origin,
            changes=changes,
            steps=steps,
            is_cut=True,
            seconds=seconds,
            threads=None if is_alone else max(1, cores() // self._at_once),
            observes=observes,
        )
        done = self.runner.carry_out(order)
        workspace = self.runner.workspace
        return (
            done if done.run is None else replace(done, run=relocated(done.run, done.order.place, workspace))
        )

    @contextmanager
    def beside(self) -> Iterator[ThreadPoolExecutor]:
        """Threads to call `carry_out` in; where one fails or we are interrupted, all programs are ended."""
        with ThreadPoolExecutor(self._at_once) as pool:
            try:
                yield pool
            except BaseException:
                # Or the pool would wait for programs that nobody waits for any more.
                self.runner.close()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    @property
    def _at_once(self) -> int:
        return min(_AT_ONCE, self.runner.at_once(timed=False))
