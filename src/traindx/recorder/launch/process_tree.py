"""The processes of a program, the one we started and all that descend from it, and how to end them."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress


def family(process: int) -> dict[int, int]:
    """A process and its descendants, parents first, each with its process group."""
    known = _from_proc() if os.path.exists("/proc/self/stat") else _from_ps()
    members, left = {process: known.get(process, (0, 0))[1]}, [process]
    while left:
        parent = left.pop(0)
        children = [child for child, (above, _) in known.items() if above == parent and child not in members]
        members |= {child: known[child][1] for child in children}
        left += children
    return members


def _from_proc() -> dict[int, tuple[int, int]]:
    """Every process of the system with its parent and its group, as Linux shows them."""
    parents = {}
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", errors="replace") as file:
                _, above, group, *_ = file.read().rpartition(")")[2].split()
        except (OSError, ValueError):  # it has ended
            continue
        parents[int(name)] = (int(above), int(group))
    return parents


def _from_ps() -> dict[int, tuple[int, int]]:
    """The same as ps tells it, where the system does not show it; nothing where there is no ps."""
    command = ["ps", "-A", "-o", "pid=,ppid=,pgid="]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = [[int(word) for word in line.split()] for line in process.stdout.splitlines()]
    return {row[0]: (row[1], row[2]) for row in rows if len(row) == 3}


def send(process: int, number: int) -> None:
    """Signal a process, if it is still there and ours."""
    try:
        os.kill(process, number)
    except (ProcessLookupError, PermissionError):
        return


def signal_program(process: int, number: int) -> None:
    """Signal a program as a key of the terminal does: the process that we started and those of its group.

    Processes that left the group answer to the one that started them; nothing outlives SIGKILL.
    """
    members = family(process)
    for pid, group in members.items():
        if number == signal.SIGKILL or pid == process or group == members[process]:
            send(pid, number)


def end_program(process: int) -> None:
    """End a process and everything that descends from it, also what has left its parents but not its group.

    A process may end itself so; what descends from it goes first.
    """
    if process != os.getpid():
        # So that it starts nothing while its family is being looked up.
        send(process, signal.SIGSTOP)
    members = family(process)
    own = members.pop(process)
    for group in {group for group in members.values() if group not in (own, 0)}:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for member in (*members, process):
        send(member, signal.SIGKILL)


_PLEADING = ((0.0, signal.SIGINT), (10.0, signal.SIGTERM), (15.0, signal.SIGKILL))
"""Seconds after which a program that is to end gets which signal."""
_REMINDING = ((30.0, signal.SIGTERM), (35.0, signal.SIGKILL))
"""The same for a process that was on its way out by itself: it may be saving what it has."""


class Stop:
    """The order to end a program; it may come from another thread than the one that carries it out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked = threading.Event()
        self._since = 0.0
        self._sent = 0

    @property
    def asked(self) -> bool:
        """Whether the program is to end."""
        return self._asked.is_set()

    def ask(self) -> None:
        """Let the program be ended."""
        self._since = self._clock()
        self._asked.set()

    def carry_out(self, program: int) -> None:
        """Send what is due; called again and again while the program runs."""
        if not self.asked:
            return
        for number in _due(_PLEADING[self._sent :], self._clock() - self._since):
            self._sent += 1
            signal_program(program, number)


class Reminder:
    """Ends processes that have said that they end, and go on: they caught what was to end them."""

    def __init__(
        self, stopped: Callable[[], Iterable[int]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`stopped` tells the processes that have said so."""
        self._stopped, self._clock = stopped, clock
        self._since: dict[int, float] = {}
        self._sent: dict[int, int] = {}

    def carry_out(self, program: int) -> None:
        """Send what is due; called again and again while the program runs."""
        now = self._clock()
        for process in self._stopped():
            began, sent = self._since.setdefault(process, now), self._sent.get(process, 0)
            for number in _due(_REMINDING[sent:], now - began):
                self._sent[process] = self._sent.get(process, 0) + 1
                # Another process may have got its number since.
                if process in family(program):
                    send(process, number)


def _due(plan: Iterable[tuple[float, signal.Signals]], seconds: float) -> list[signal.Signals]:
    return [number for after, number in plan if seconds >= after]
