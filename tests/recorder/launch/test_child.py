"""Signals, job control and the terminal: the program lives and dies as it does alone."""

import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.recorder.launch.stand_in import TRAINING, StandIn

COUNTS = """
import collections, os, signal, sys, time
seen = collections.Counter()
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"):
    signal.signal(getattr(signal, name), lambda number, frame: seen.update([signal.Signals(number).name]))
print("ready", os.getpid(), flush=True)
while not os.path.exists("enough"):
    time.sleep(0.01)
    with open("seen", "w") as file:
        file.write("." * seen.total())
print(sorted(seen.items()))
"""
WAITS = """
import os, sys, time
{training}
print("ready", os.getpid(), flush=True)
while not os.path.exists("enough"):
    time.sleep(0.01)
print("over")
sys.exit(5)
"""
_PATIENCE = 60
"""Seconds after which something that does not happen is taken not to happen, also on a busy machine."""
ENDING = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]


@contextmanager
def started(place: StandIn, *words: str) -> Iterator["tuple[subprocess.Popen[str], int]"]:
    """`traindx run WORDS` in a group of its own, once the program is ready, and the program's id."""
    process = subprocess.Popen(
        place.command(*words),
        cwd=place.here,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert process.stdout is not None
    try:
        ready, _, _ = select.select([process.stdout], [], [], _PATIENCE)
        assert ready, "the program did not start"
        word, program = process.stdout.readline().split()
        assert word == "ready"
        yield process, int(program)
    finally:
        place.write("enough", "")
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=_PATIENCE)


@contextmanager
def waiting(place: StandIn) -> Iterator["tuple[subprocess.Popen[str], int]"]:
    """The same of a program that trains, and then waits until it is told that it is enough."""
    place.write("waits.py", WAITS.format(training=TRAINING))
    with started(place, "--", sys.executable, "waits.py") as processes:
        yield processes


@pytest.fixture(autouse=True)
def no_core() -> Iterator[None]:
    """Programs that are to die leave nothing behind."""
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_CORE, before)


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, which may take long on a busy machine."""
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.01)
    pytest.fail("waited in vain")


def state_of(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("target", ["us", "the group"])
def test_a_signal_reaches_the_program_once(place: StandIn, target: str) -> None:
    place.write("counts.py", COUNTS)
    place.write("seen", "")
    send = os.kill if target == "us" else os.killpg
    with started(place, "--", sys.executable, "counts.py") as (process, _):
        for number, name in enumerate([*ENDING, *ENDING], start=1):
            send(process.pid, signal.Signals[name])
            until(lambda: len((place.here / "seen").read_text()) >= number)  # noqa: B023  # called at once
        # Long enough for one that is passed on by mistake.
        time.sleep(0.5)
        place.write("enough", "")
        shown, _ = process.communicate(timeout=_PATIENCE)
    assert shown == f"{sorted((name, 2) for name in ENDING)}\n"
    assert process.returncode == 0


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGKILL", "SIGABRT"])
def test_we_die_of_what_the_program_dies_of(place: StandIn, name: str) -> None:
    with waiting(place) as (process, program):
        os.kill(program, signal.Signals[name])
        _, said = process.communicate(timeout=_PATIENCE)
    assert process.returncode == -signal.Signals[name]
    assert "HEALTHY" in said
    assert ".traindx/runs/waits-1/report.html" in said


def test_ctrl_c_ends_the_program_and_is_followed_by_a_report(place: StandIn) -> None:
    with waiting(place) as (process, _):
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=_PATIENCE)
    assert process.returncode == -signal.SIGINT
    assert said.count("KeyboardInterrupt") == 1
    assert "HEALTHY" in said


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="asks the system of Linux")
@pytest.mark.parametrize("name", ["SIGTSTP", "SIGTTIN"])
def test_we_stop_and_go_on_with_the_program(place: StandIn, name: str) -> None:
    with waiting(place) as (process, program):
        # Often, because the next stop may come while we are still waking up from the last one.
        for _ in range(50):
            os.killpg(process.pid, signal.Signals[name])
            until(lambda: state_of(process.pid) == state_of(program) == "T")
            os.killpg(process.pid, signal.SIGCONT)
            until(lambda: "T" not in (state_of(process.pid), state_of(program)))
        place.write("enough", "")
        shown, said = process.communicate(timeout=_PATIENCE)
    assert shown == "over\n"
    assert process.returncode == 5
    assert "HEALTHY" in said


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="asks the system of Linux")
def test_the_program_goes_on_where_only_we_are_told_to(place: StandIn) -> None:
    with waiting(place) as (process, program):
        os.killpg(process.pid, signal.SIGTSTP)
        until(lambda: state_of(process.pid) == state_of(program) == "T")
        os.kill(process.pid, signal.SIGCONT)
        until(lambda: "T" not in (state_of(process.pid), state_of(program)))
        place.write("enough", "")
        process.communicate(timeout=_PATIENCE)
    assert process.returncode == 5


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="asks the system of Linux")
def test_a_pause_of_the_program_alone_does_not_stop_us(place: StandIn) -> None:
    with waiting(place) as (process, program):
        os.kill(program, signal.SIGSTOP)
        until(lambda: state_of(program) == "T")
        os.kill(program, signal.SIGCONT)
        place.write("enough", "")
        process.communicate(timeout=_PATIENCE)
    assert process.returncode == 5


def test_a_program_that_leaves_its_group_is_still_waited_for(place: StandIn) -> None:
    place.write("leaves.py", f"import os\nos.setsid()\n{WAITS.format(training=TRAINING)}")
    with started(place, "--", sys.executable, "leaves.py") as (process, _):
        os.killpg(process.pid, signal.SIGINT)
        place.write("enough", "")
        shown, said = process.communicate(timeout=_PATIENCE)
    assert shown == "over\n"
    assert process.returncode == 5
    assert "HEALTHY" in said


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="asks the system of Linux")
def test_of_ours_only_what_passes_on_its_output_outlives_us_and_ends_with_the_program(place: StandIn) -> None:
    with waiting(place) as (process, program):
        relay = {pid for pid in _group(process.pid) if "relay.py" in _words(pid)}
        process.kill()
        until(lambda: set(_group(process.pid)) == {program} | relay)
        place.write("enough", "")
        until(lambda: _group(process.pid) == [])
        shown, _ = process.communicate(timeout=_PATIENCE)
    assert len(relay) == 1
    assert shown == "over\n"


def _words(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""


def _group(group: int) -> list[int]:
    """The living processes of a group."""
    fields = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
    return [pid for pid, (state, _, of, *_) in fields.items() if int(of) == group and state != "Z"]


def test_standard_input_passes_through(place: StandIn) -> None:
    place.write("echo.py", "import sys\nprint(sys.stdin.read()[::-1])\n")
    done = place.run("--", sys.executable, "echo.py", text="abc\ndéf")
    assert done.stdout == "féd\ncba\n"


def test_a_terminal_stays_a_terminal(place: StandIn) -> None:
    place.write(
        "terminal.py",
        "import os\nprint([os.isatty(i) for i in range(3)], os.get_terminal_size())\n" + TRAINING,
    )
    shown, code = _in_terminal(place, "--", sys.executable, "terminal.py")
    assert "[True, True, True] os.terminal_size(columns=100, lines=30)" in shown
    assert "\x1b[" in shown
    # Nothing is silent between the end of the program and the report.
    assert shown.index("os.terminal_size") < shown.index("diagnosing ...") < shown.index("HEALTHY")
    assert code == 0


def test_ctrl_c_in_a_terminal(place: StandIn) -> None:
    place.write("waits.py", WAITS.format(training=TRAINING))
    shown, code = _in_terminal(place, "--", sys.executable, "waits.py", keys={"ready": b"\x03"})
    assert shown.count("KeyboardInterrupt") == 1
    assert "HEALTHY" in shown
    assert code == -signal.SIGINT


def _in_terminal(stand_in: StandIn, *words: str, keys: dict[str, bytes] | None = None) -> tuple[str, int]:
    """What a terminal shows while a command runs in it, and how the command ends."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(stand_in.here)
        os.execve(sys.executable, stand_in.command(*words), {**stand_in.environment, "TERM": "xterm"})
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    shown, left = b"", dict(keys or {})
    while True:
        ready, _, _ = select.select([terminal], [], [], _PATIENCE)
        assert ready, shown
        try:
            block = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not block:
            break
        shown += block
        for word in [word for word in left if word.encode() in shown]:
            os.write(terminal, left.pop(word))
    os.close(terminal)
    return shown.decode(errors="replace"), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
