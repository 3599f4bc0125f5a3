"""The streams a program prints to, read on their way: a terminal stays a terminal and a pipe a pipe.

A stream of ours that is a pipe or a terminal is replaced by another one, from which a `relay` passes on what
the program prints; so is the null device, by a pipe. A regular file is left as it is and read afterward;
anything else is left alone.
"""

import fcntl
import os
import socket
import stat
import sys
import termios
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from signal import valid_signals
from types import TracebackType

from traindx.recorder.launch import relay

MOST = 1 << 26
"""Bytes that are kept of what a program prints."""
_OUT, _ERROR = 1, 2
_FIRST_FREE = 20
"""The lowest descriptor we take for ourselves: those below it are given out in the relay."""
_FIRST_SOURCE = 3
"""The descriptor of the relay's first source."""
_OUTPUT_FLAGS = 1
"""Where a terminal keeps what it does to output, in what `tcgetattr` gives."""
_BLOCK = 1 << 20


class Console:
    """What a program prints to while it runs; what it printed is kept in a file."""

    def __init__(self, kept: Path, *, output_to_stderr: bool) -> None:
        targets = [_ERROR] if output_to_stderr or _is_same(_OUT, _ERROR) else [_OUT, _ERROR]
        self._kept = kept
        self._grown = {target: begin for target in targets if (begin := _end_of_file(target)) is not None}
        self._theirs: dict[int, int] = {}
        """The descriptor that stands for each of ours in the program."""
        self._control = self._relayed(targets)
        files = {_OUT: targets[0], _ERROR: _ERROR if _ERROR in targets else _OUT}
        streams = {own: self._theirs.get(target, target) for own, target in files.items()}
        self.streams = [(ours, own) for own, ours in streams.items() if ours != own]
        """Which of our descriptors the program gets as which of its own."""

    def __enter__(self) -> "Console":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.handed_over()
        if self._control is not None:
            with self._control as control, suppress(OSError):
                control.shutdown(socket.SHUT_WR)
                control.recv(1)
        for descriptor, begin in self._grown.items():
            with suppress(OSError):
                _keep(descriptor, begin, self._kept)

    def handed_over(self) -> None:
        """The program has its streams: nobody else is to keep them open."""
        for descriptor in self._theirs.values():
            os.close(descriptor)
        self._theirs = {}

    def _relayed(self, targets: list[int]) -> socket.socket | None:
        """Start the relay for the streams that need one; what ends when it has passed on everything."""
        sources = {}
        for target in targets:
            pair = _pair_like(target)
            if pair is not None:
                sources[target], self._theirs[target] = pair
        if not sources:
            return None
        control, theirs = socket.socketpair()
        try:
            _start_relay(self._kept, theirs, sources)
        except OSError:  # the program runs with our own streams, and is not read
            self.handed_over()
            return None
        finally:
            theirs.close()
            for source in sources.values():
                os.close(source)
        return control


def _is_same(first: int, other: int) -> bool:
    try:
        return os.path.sameopenfile(first, other)
    except OSError:  # one of them is closed
        return False


def _end_of_file(descriptor: int) -> int | None:
    """Where a program begins to write in a regular file; None for all other streams."""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        appends = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND
        return os.fstat(descriptor).st_size if appends else os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:
        return None


def _pair_like(target: int) -> tuple[int, int] | None:
    """The two ends of a stream of the same kind, ours first; None where the program keeps the target."""
    try:
        if os.isatty(target):
            ours, theirs = _terminal_like(target)
        elif stat.S_ISFIFO(os.fstat(target).st_mode) or _is_null(target):
            ours, theirs = os.pipe()
        else:
            return None
    except OSError:
        return None
    return _moved(ours), _moved(theirs)


def _is_null(target: int) -> bool:
    status = os.fstat(target)
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == os.stat(os.devnull).st_rdev


def _terminal_like(target: int) -> tuple[int, int]:
    ours, theirs = os.openpty()
    with suppress(termios.error, OSError):
        fcntl.ioctl(ours, termios.TIOCSWINSZ, fcntl.ioctl(target, termios.TIOCGWINSZ, bytes(8)))
        settings = termios.tcgetattr(target)
        # What is to be done to the output, such as a return before each line feed, the real one does.
        settings[_OUTPUT_FLAGS] &= ~termios.OPOST
        termios.tcsetattr(theirs, termios.TCSANOW, settings)
    return ours, theirs


def _moved(descriptor: int) -> int:
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    os.close(descriptor)
    return moved


def _start_relay(kept: Path, control: socket.socket, sources: Mapping[int, int]) -> None:
    numbers = {target: _FIRST_SOURCE + index for index, target in enumerate(sources)}
    pairs = [f"{number}:{target}" for target, number in numbers.items()]
    moved = _moved(os.dup(control.fileno()))
    try:
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", relay.__file__, str(kept), str(MOST), *pairs],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, moved, 0),
                *((os.POSIX_SPAWN_DUP2, sources[target], number) for target, number in numbers.items()),
            ],
            # What is signaled to the program, and to us with it, is not meant for what they print to.
            setsigmask=valid_signals(),
        )
    finally:
        os.close(moved)


def _keep(descriptor: int, begin: int, kept: Path) -> None:
    """Add the last part of what a program wrote into a regular file to what is kept."""
    try:
        os.pread(descriptor, 1, begin)
        file = os.dup(descriptor)
    except OSError:  # it is open for writing only
        file = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY)
    tail = relay.Tail(str(kept), MOST)
    try:
        offset = max(begin, os.fstat(file).st_size - MOST // 2)
        while block := os.pread(file, _BLOCK, offset):
            tail.add(block)
            offset += len(block)
    finally:
        os.close(file)
