"""How much of the time in which it could run a training waits for a processor that others use."""

import threading
from pathlib import Path

from traindx.facts import CONTENTION
from traindx.recorder.sampling import Notebook

_ACCOUNT = Path("/proc/thread-self/schedstat")
"""Of the calling thread, in Linux: nanoseconds on a processor, and ready to run without one."""


class Contention:
    """What the account of the training thread says since it was first asked."""

    def __init__(self) -> None:
        self._thread = 0
        self._began = (0, 0)

    def state(self, notebook: Notebook) -> None:
        """State the share, where the system tells it; a thread that is asked first begins its account."""
        now = _account()
        if now is None:
            return
        if self._thread != threading.get_ident():
            self._thread, self._began = threading.get_ident(), now
            return
        ran, waited = (after - before for after, before in zip(now, self._began, strict=True))
        if ran + waited > 0:
            notebook.state(CONTENTION, round(waited / (ran + waited), 3))


def _account() -> tuple[int, int] | None:
    try:
        ran, waited, *_ = map(int, _ACCOUNT.read_text().split())
    except (OSError, ValueError):  # not Linux, or a kernel without these statistics
        return None
    return ran, waited
