"""Looking at a recording while the program writes it: what is serious is said, and may end the program.

Looks are taken in a thread of our own process; the program is not asked and does not wait.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from traindx.cli._alarms import Alarms, Met, Repeated
from traindx.recorder.launch.child import wake
from traindx.recorder.launch.ending import recordings
from traindx.recorder.launch.stopping import Stop
from traindx.trials.types import Report

_WAITING = 0.5
"""Seconds between two glances at a folder without a recording."""
_LEAST = 2.0
"""Seconds from the begin of a recording to the first look, and from one look to the next."""
_REST = 50.0
"""The same over what the last look took: looks take 2 % of one processor at most."""
_LARGEST = 1 << 29
"""Bytes: reading a larger recording again and again would take memory that the program may need."""
_NICE = 10
_PATIENCE = 2.0
"""Seconds that a look may go on when the program has ended."""


class Live:
    """Looks now and then, from entering it to leaving it."""

    def __init__(
        self,
        folder: Path,
        look: Callable[[], Report],
        conditions: Callable[[Report], Mapping[tuple[str, str], Met]],
        say: Callable[[str], None],
    ) -> None:
        """`look` reads and judges the recording; `conditions` are those that end the program, by run."""
        self.stop = Stop()
        self.met: Met | None = None
        """Why the program was stopped."""
        self._folder, self._look, self._conditions, self._say = folder, look, conditions, say
        self._alarms = Alarms()
        self._repeated: Repeated[tuple[str, str]] = Repeated()
        self._over = threading.Event()
        self._noted = False
        self._thread = threading.Thread(target=self._run, name="traindx live", daemon=True)

    def __enter__(self) -> "Live":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        _step_back()
        while not recordings(self._folder):
            if self._over.wait(_WAITING):
                return
        pause = _LEAST
        seen: list[tuple[int, int]] = []
        while not self._over.wait(pause) and not self.stop.asked:
            now = _state(self._folder)
            if now == seen:
                continue
            # The first look loads what others find loaded: it tells nothing of what they will take.
            rest, seen = _REST if seen else 0.0, now
            began = time.thread_time()
            try:
                self._act(sum(size for size, _ in now))
            except Exception as error:  # whatever goes wrong in here must not reach the program
                fault = f"looking at the run failed ({type(error).__name__}: {error})"
                self._note(f"{fault}; the program is not disturbed, and the report follows at the end")
            pause = max(_LEAST, rest * (time.thread_time() - began))

    def _act(self, size: int) -> None:
        """Look once, and do what follows from it."""
        if size > _LARGEST:
            self._note("the recording has grown too large to be judged now and then; it is judged at the end")
            return
        report = self._look()
        if self._over.is_set():
            return
        met = self._conditions(report)
        confirmed = self._repeated.again({key: one.now for key, one in met.items()})
        if confirmed:
            first = next(iter(confirmed))
            self.met = met[first]
            self._say(confirmed[first])
            self.stop.ask()
            wake()
            return
        for line in self._alarms.lines(report):
            self._say(line)

    def _note(self, says: str) -> None:
        """Say once that something of ours did not work."""
        if not self._noted:
            self._noted = True
            self._say(says)


def _state(folder: Path) -> list[tuple[int, int]]:
    """Sizes and times of what is written; the newest records stand in a file beside the recording."""
    found = []
    for path in recordings(folder):
        for name in (path, f"{path}-wal"):
            with suppress(OSError):
                status = os.stat(name)
                found.append((status.st_size, status.st_mtime_ns))
    return found


def _step_back() -> None:
    """Let the program go first where processors are few; only Linux counts threads one by one."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
