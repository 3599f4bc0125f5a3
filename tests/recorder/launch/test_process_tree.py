"""Who descends from a process, and that nobody outlives its end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from traindx.recorder.launch import process_tree
from traindx.recorder.launch import process_tree as families
from traindx.recorder.launch.process_tree import Reminder, Stop, end_program, family, signal_program

TREE = """\
import os, pathlib, subprocess, sys, time

sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
child = subprocess.Popen(sleeper, process_group=0)
# Its parent goes away at once, so that only its group tells whose it is.
orphan = "import subprocess, sys; print(subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL).pid)"
made = subprocess.run(
    [sys.executable, "-c", orphan, *sleeper], process_group=child.pid, stdout=subprocess.PIPE, text=True
)
pathlib.Path(sys.argv[1]).write_text(f"{child.pid} {made.stdout}")
time.sleep(600)
"""


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[list[int]]:
    """A program, its child and a grandchild that has lost its parent."""
    file = tmp_path / "pids"
    with subprocess.Popen([sys.executable, "-c", TREE, str(file)], process_group=0) as program:
        until = time.monotonic() + 60
        while not (file.exists() and len(file.read_text().split()) == 2) and time.monotonic() < until:
            time.sleep(0.05)
        yield [program.pid, *(int(word) for word in file.read_text().split())]
        program.kill()


def test_a_program_ends_with_all_that_it_started(tree: list[int]) -> None:
    assert all(map(is_there, tree))
    assert list(family(tree[0])) == tree[:2]
    end_program(tree[0])
    until = time.monotonic() + 60
    while any(map(is_there, tree)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(is_there, tree))


def test_ps_tells_what_the_system_shows() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], process_group=0)
    try:
        for table in (families._from_ps(), families._from_proc()):
            assert table[child.pid] == (os.getpid(), child.pid)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()


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

    monkeypatch.setattr(process_tree, "signal_program", note)
    monkeypatch.setattr(process_tree, "send", note)
    monkeypatch.setattr(process_tree, "family", lambda program: {program: 1, 8: 1, 9: 1})
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
