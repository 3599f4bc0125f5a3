"""Runs the user's command as if it were alone: signals, job control and exit status pass through.

A signal is passed on unless the program got it too, which an idle process beside it tells.
"""

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

from traindx.errors import TraindxError
from traindx.recorder.launch.command import Command

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


_PASSED_ON = {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2}
_STOPPING = {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
"""Not passed on: we stop when they stop the program. SIGSTOP is a pause of the program alone."""
_HEARD = {*_PASSED_ON, *_STOPPING, signal.SIGCHLD}
_SECONDS = 1.0
"""How long a signal may be waited for: a thread of a library may have taken the one that says it is over."""

_GLANCE = 0.05
"""Seconds between two looks at pending signals, where a limit cannot be set to waiting for them."""

Mask = set[signal.Signals | int]
Meanwhile = Callable[[int], None]
Streams = Sequence[tuple[int, int]]
"""What a program gets in the place of its standard streams: (our descriptor, its own)."""


@dataclass(frozen=True)
class Ending:
    """How the program ended."""

    code: int
    """Its exit code; negative: the signal it died of."""

    @property
    def signal(self) -> int | None:
        """The signal it died of."""
        return -self.code if self.code < 0 else None


@contextmanager
def signals_held() -> Iterator[Mask]:
    """Hold back the signals that are for the program; gives those that were held back before.

    Entered before anything starts a thread, because a thread that does not hold them back would take them.
    """
    # Where it is ignored from birth, children would vanish before their exit status could be read.
    before = signal.signal(signal.SIGCHLD, lambda *_: None)
    mask: Mask = set(signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD))
    try:
        yield mask
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGCHLD, before)


def run_to_end(
    command: Command,
    environment: Mapping[str, str],
    mask: Mask,
    *,
    streams: Streams = (),
    meanwhile: Meanwhile = lambda _: None,
    started: Callable[[], None] = lambda: None,
) -> Ending:
    """Run the program with our standard streams and in our process group, while `signals_held`.

    `streams` are those it gets in their place; `started` is called when it has them.
    `meanwhile` is called with the number of the process at least once a second, as long as it runs.
    """
    # The witness comes first, so that it cannot have missed what the program has got.
    with SignalEcho() as witness:
        program = _start(command, environment, mask, streams)
        started()
        ending = _wait(program, witness, meanwhile)
    # The Ctrl-C that ended the program was not meant for the report on it.
    while _next_signal(0) is not None:
        pass
    return ending


def _start(command: Command, environment: Mapping[str, str], mask: Mask, streams: Streams) -> int:
    # What arrived until now is for us: the program does not exist yet.
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    try:
        return os.posix_spawn(
            command.program,
            command.words,
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, ours, own) for ours, own in streams],
            setsigmask=mask,
            # Python ignores these two for itself; a program is started with them as they are by default.
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
    except OSError as error:
        todo = "check its first line, or put the interpreter before it"
        raise TraindxError(f"{command.program}: cannot start ({error.strerror}); {todo}") from error


def wake() -> None:
    """Let the thread that waits for the program look up; for other threads of ours."""
    os.kill(os.getpid(), signal.SIGCHLD)


def _wait(child: int, witness: SignalEcho, meanwhile: Meanwhile) -> Ending:
    """Wait for the end of the program, passing signals on and stopping whenever it is stopped."""
    stopped_with_it = False
    while True:
        changed, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
        if not changed and stopped_with_it:
            # Only we were continued. Where the whole group was, it may be stopped once more already:
            # continuing it unasked would undo that.
            os.kill(child, signal.SIGCONT)
            stopped_with_it = False
        elif not changed:
            meanwhile(child)
            received = _next_signal(_SECONDS)
            if received in _PASSED_ON and not witness.got(received):
                os.kill(child, received)
        elif os.WIFSTOPPED(status):
            stopped_with_it = os.WSTOPSIG(status) in _STOPPING
            if stopped_with_it:
                _stop_too(os.WSTOPSIG(status))
        elif os.WIFCONTINUED(status):
            stopped_with_it = False
        else:
            return Ending(os.waitstatus_to_exitcode(status))


def end_like(ending: Ending) -> int:
    """The exit code to leave with; does not return where the program died of a signal."""
    if ending.signal is None:
        return ending.code
    import resource

    # The program has written its core, if it was to.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if ending.signal not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(ending.signal, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [ending.signal])
    os.kill(os.getpid(), ending.signal)
    return 128 + ending.signal


def _next_signal(seconds: float) -> int | None:
    """The next of the signals that are held back, if one comes in time."""
    if sys.platform != "darwin":
        received = signal.sigtimedwait(_HEARD, seconds)
        return None if received is None else received.si_signo
    until = time.monotonic() + seconds
    while not signal.sigpending() & _HEARD:
        if time.monotonic() >= until:
            return None
        time.sleep(_GLANCE)
    return signal.sigwait(_HEARD)


def _stop_too(number: int) -> None:
    """Stop as the program was stopped, so that the shell sees it; returns when we are continued."""
    # Sent while it is held back: together with one that the terminal has sent it counts once.
    os.kill(os.getpid(), number)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
