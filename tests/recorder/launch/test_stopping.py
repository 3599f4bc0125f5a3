"""Programs that are to end get a signal that they can answer, then ones that they cannot."""

import os
import signal
import subprocess
import sys

import pytest

from traindx.recorder.launch import stopping
from traindx.recorder.launch.family import family, signal_program
from traindx.recorder.launch.stopping import Reminder, Stop

PROGRAM = 7


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """What would have been sent, and to whom."""
    signals: list[tuple[int, str]] = []

    def note(process: int, number: int) -> None:
        signals.append((process, signal.Signals(number).name))

    monkeypatch.setattr(stopping, "signal_program", note)
    monkeypatch.setattr(stopping, "send", note)
    monkeypatch.setattr(stopping, "family", lambda program: {program: 1, 8: 1, 9: 1})
    return signals


def test_a_program_that_is_not_to_end_gets_nothing(sent: list[tuple[int, str]]) -> None:
    Stop(Clock()).carry_out(PROGRAM)
    assert sent == []


def test_each_signal_is_sent_once_when_its_time_has_come(sent: list[tuple[int, str]]) -> None:
    clock = Clock()
    stop, shown = Stop(clock), []
    stop.ask()
    for seconds in range(20):
        clock.now = 100.0 + seconds
        stop.carry_out(PROGRAM)
        shown.append(len(sent))
    assert sent == [(PROGRAM, "SIGINT"), (PROGRAM, "SIGTERM"), (PROGRAM, "SIGKILL")]
    assert [shown.index(count) for count in (1, 2, 3)] == [0, 10, 15]


def test_a_process_that_said_that_it_ends_is_reminded(sent: list[tuple[int, str]]) -> None:
    clock = Clock()
    stopped = [8]
    reminder = Reminder(lambda: stopped, clock)
    for seconds in range(80):
        clock.now = 100.0 + seconds
        if seconds == 20:
            stopped = [8, 9, 1234]
        reminder.carry_out(PROGRAM)
    # 1234 is no process of the program: it has ended, and another may have got its number.
    assert sent == [(8, "SIGTERM"), (8, "SIGKILL"), (9, "SIGTERM"), (9, "SIGKILL")]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the system of Linux")
def test_a_signal_reaches_the_processes_that_a_key_reaches() -> None:
    starts = (
        "import subprocess\n"
        "near, far = (subprocess.Popen(['sleep', '60'], start_new_session=own) for own in (False, True))\n"
        "print(near.pid, far.pid, flush=True)\n"
        "near.wait(), far.wait()\n"
    )
    # Not the last command of the shell, which it would become instead of starting it.
    program = subprocess.Popen(
        ["sh", "-c", '"$0" -c "$1"; exit 3', sys.executable, starts],
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert program.stdout is not None
    near, far = map(int, program.stdout.readline().split())
    members = family(program.pid)
    assert len(members) == 4
    assert members[near] == members[program.pid] != members[far]
    signal_program(program.pid, signal.SIGTERM)
    assert program.wait(60) == -signal.SIGTERM
    assert _is_running(far)
    signal_program(far, signal.SIGKILL)
    # At the end of what they print, all that could have written to it are gone.
    assert program.stdout.read() == ""
    program.stdout.close()


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
