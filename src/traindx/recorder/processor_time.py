"""Processor time: what recording takes of it, and how long a training waits for it."""

import threading
from pathlib import Path
from time import process_time

from traindx.facts import CONTENTION, RECORDED_SECONDS, RECORDING_COST, RECORDING_SECONDS
from traindx.recorder.sampling import Notebook

_ACCOUNT = Path("/proc/thread-self/schedstat")
"""Of the calling thread, in Linux: nanoseconds on a processor, and ready to run without one."""


class Contention:
    """What the account of the training thread says since it was first asked."""

    def __init__(self) -> None:
        self._thread = 0
        self._began = (0, 0)

    def share(self) -> float | None:
        """The share of the time it could run that the thread waited, where the system tells it.

        A thread that is asked first begins its account.
        """
        now = _account()
        if now is None:
            return None
        if self._thread != threading.get_ident():
            self._thread, self._began = threading.get_ident(), now
            return None
        ran, waited = (after - before for after, before in zip(now, self._began, strict=True))
        return waited / (ran + waited) if ran + waited > 0 else None


class Cost:
    """States what recording takes: processor time, whoever else uses the machine.

    Events are timed by the clock on the wall, which costs a tenth of asking for processor time; what the
    thread waited for a processor meanwhile is taken off as a whole.
    """

    def __init__(self, began: float) -> None:
        """`began`: processor time of the process when the program that is recorded began."""
        self.of_start = 0.0
        """What importing and attaching the recorder took."""
        self._began, self._contention = began, Contention()

    def state(self, notebook: Notebook, spent: float, elapsed: float) -> None:
        """State it, after so many seconds, some of them spent in events."""
        waited = self._contention.share()
        ours = self.of_start + spent * (1 - (waited or 0.0))
        program = process_time() - self._began - ours
        if program > 0:
            notebook.state(RECORDING_COST, round(ours / program, 4))
        notebook.state(RECORDING_SECONDS, round(ours, 3))
        notebook.state(RECORDED_SECONDS, round(elapsed, 3))
        if waited is not None:
            notebook.state(CONTENTION, round(waited, 3))


def _account() -> tuple[int, int] | None:
    try:
        ran, waited, *_ = map(int, _ACCOUNT.read_text().split())
    except (OSError, ValueError):  # not Linux, or a kernel without these statistics
        return None
    return ran, waited
