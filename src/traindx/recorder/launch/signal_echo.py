"""Tells whether a signal that reached us has reached the program as well."""

import os
import shutil
import signal
import time
from types import TracebackType

_UNDER_WAY = 0.02
"""Seconds in which a signal to a group reaches all its processes: the system sends it in one go."""
_FROM_KEYS = {signal.SIGINT, signal.SIGQUIT}


class SignalEcho:
    """A process of our group that does nothing and holds back every signal, so that one it got can be seen.

    A key, `timeout` or a job scheduler signal the group, `kill` or a container's host us alone. Nothing else
    tells the two apart, and a program that got the same signal twice would not end as it does by itself.
    Where the system does not show it (only Linux does), keys are taken to signal the group and others us.
    """

    def __init__(self) -> None:
        self._program = shutil.which("cat") if os.path.exists("/proc/self/status") else None
        # It reads from us, and ends when we do, however that comes about.
        self._reads, self._writes = os.pipe()
        self._owed: set[int] = set()
        """Signals that an earlier process got and that we have not been asked about yet."""
        self._process = self._start()

    def __enter__(self) -> "SignalEcho":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _end(self._process)
        os.close(self._writes)
        os.close(self._reads)

    def got(self, number: int) -> bool:
        """Whether a signal that we have just got reached the group."""
        if not self._process:
            return number in _FROM_KEYS
        if number not in self._held():
            time.sleep(_UNDER_WAY)
        if number not in self._held():
            return False
        self._replace(number)
        return True

    def _replace(self, number: int) -> None:
        """What it holds it holds for good: only a new one can get the same signal again."""
        old, new = self._process, self._start()
        # Asked only now, when the new one gets whatever comes next.
        self._owed = self._held() - {number}
        self._process = new
        _end(old)

    def _held(self) -> set[int]:
        try:
            with open(f"/proc/{self._process}/status") as file:
                line = next(line for line in file if line.startswith("ShdPnd:"))
        except (OSError, StopIteration):
            return self._owed
        bits = int(line.split()[1], 16)
        return self._owed | {number for number in signal.valid_signals() if bits >> (number - 1) & 1}

    def _start(self) -> int:
        if self._program is None:
            return 0
        return os.posix_spawn(
            self._program,
            ["cat"],
            {},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, self._reads, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsigmask=signal.valid_signals(),
            setsigdef=signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP},
        )


def _end(process: int) -> None:
    if process:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
