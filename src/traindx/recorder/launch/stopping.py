"""Ending a program from outside: first as Ctrl-C would, so that it can save what it has, then with force."""

import signal
import threading
import time
from collections.abc import Callable, Iterable

from traindx.recorder.launch.family import family, send, signal_program

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
