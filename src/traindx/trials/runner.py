"""Where arms run: in processes of this machine, unless something else is asked for."""

import os
import sys
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Protocol

from traindx.trials.arm import ArmResult, carry_out
from traindx.trials.program import ArmSpec
from traindx.trials.workspace import Workspace

_MOST = 4
"""Arms beside each other on one machine, however many cores it has."""


_MISSING = "No such file"
_IN_A_COPY = (
    "it ran in a copy of the working directory, from which paths such as ../data lead elsewhere;"
    " --in-place runs it where it is"
)


class Runner(Protocol):
    """What an engine asks of the place where its arms run."""

    def carry_out(self, order: ArmSpec) -> ArmResult:
        """Run one arm to its end; called from several threads at once."""
        ...

    def at_once(self, *, timed: bool) -> int:
        """Arms that may run beside each other: one where it is time that is measured."""
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

    def stop(self) -> None:
        """End all arms that are running."""
        ...

    def close(self) -> None:
        """Leave nothing running."""
        ...


@dataclass(frozen=True)
class LocalRunner:
    """Processes of this machine, never more arms of them than it has cores."""

    workspace: Workspace
    _stopped: Event = field(default_factory=Event)

    @property
    def lost(self) -> str:
        """Nothing: this machine is there as long as we are."""
        return ""

    @property
    def notes(self) -> tuple[str, ...]:
        """None."""
        return ()

    def carry_out(self, order: ArmSpec) -> ArmResult:
        """Run an arm in its working directory, which is gone afterwards if it is a copy."""
        try:
            there = self.workspace.arm(order.folder)
            for name, content in order.replaced:
                (there / name).write_bytes(content)
            done = carry_out(replace(order, place=there), self._stopped)
        finally:
            self.workspace.clear(order.folder)
        if self.workspace.copies and done.run is None and _MISSING in done.problem:
            return replace(done, problem=f"{done.problem} ({_IN_A_COPY})")
        return done

    def at_once(self, *, timed: bool) -> int:
        """As many as there are cores, up to four; one where they share a working directory."""
        return 1 if timed or not self.workspace.copies else min(_MOST, cores())

    def threads(self, *, timed: bool) -> int:
        """The cores, shared out among the arms."""
        return max(1, cores() // self.at_once(timed=timed))

    def stop(self) -> None:
        """End the programs, and do not begin others."""
        self._stopped.set()

    def close(self) -> None:
        """End the programs; nothing else was started."""
        self.stop()


def cores() -> int:
    """The cores this process may use: a container or a batch system may give it fewer than there are."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
