"""`traindx diagnose` in a process of its own: pipes, terminals, signals, and logs that grow."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

import pytest

from tests.cli.calling import HOT, PATIENCE, process, started, until

FALLING = "".join(f"step {i} loss {2 / (i + 1) + 0.1:.4f}\n" for i in range(60))
NO_NUMBERS = "".join(f"step {i} loss nan\n" for i in range(60, 70))


def test_standard_input_is_read_and_a_pipe_has_no_escapes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "traindx", "diagnose", "-"]
    done = subprocess.run(
        command, cwd=tmp_path, input=FALLING, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0
    assert "standard input" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_a_narrow_alphabet_gets_a_report(tmp_path: Path) -> None:
    done = process("diagnose", HOT, cwd=tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "SICK" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(("environment", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colors_only_where_they_are_wanted(
    tmp_path: Path, environment: dict[str, str], colored: bool
) -> None:
    ours, theirs = pty.openpty()
    wanted = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    command = [sys.executable, "-m", "traindx", "diagnose", HOT]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=theirs, env={**wanted, "TERM": "xterm-256color", **environment}
    ) as child:
        os.close(theirs)
        printed = b"".join(iter(lambda: _read(ours), b""))
        child.kill()
    os.close(ours)
    assert b"SICK" in printed
    assert (b"\x1b[" in printed) is colored


def _read(terminal: int) -> bytes:
    """What a terminal shows next; nothing at its end, or where nothing comes for minutes."""
    ready, _, _ = select.select([terminal], [], [], PATIENCE)
    try:
        return os.read(terminal, 1 << 16) if ready else b""
    except OSError:  # the other end was closed
        return b""


def test_follow_judges_again_and_ends_cleanly_on_ctrl_c(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(FALLING)
    with started("diagnose", "train.log", "--follow", cwd=tmp_path) as child:
        assert "SICK" not in until(child, "HEALTHY")
        with log.open("a") as file:
            file.write(NO_NUMBERS)
        until(child, "SICK")
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=PATIENCE) == 0


def test_a_condition_ends_the_watch(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(FALLING)
    with started("diagnose", "train.log", "--follow", "--fail-on", "sick", cwd=tmp_path) as child:
        until(child, "HEALTHY")
        with log.open("a") as file:
            file.write(NO_NUMBERS)
        out, err = child.communicate(timeout=PATIENCE)
        assert child.returncode == 1
        assert b"SICK" in out
        assert b"--fail-on sick is met by train.log" in err


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "traindx", "diagnose", HOT]
    done = subprocess.run(
        command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE
    )
    os.close(writer)
    assert done.returncode == 0
    assert done.stderr == ""


def test_whoever_reads_the_first_lines_gets_the_right_exit_code(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "traindx", "diagnose", HOT, "--all", "--fail-on", "sick"]
    done = subprocess.run(
        command, cwd=tmp_path, stdout=writer, stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE
    )
    os.close(writer)
    assert done.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "traindx", "diagnose", HOT]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    assert done.returncode == 2
    assert done.stderr == "traindx: No space left on device; the output is incomplete\n"


def test_ctrl_c_while_reading_leaves_no_traceback(tmp_path: Path) -> None:
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    with started("diagnose", "log", cwd=tmp_path) as child:
        with _written_to(fifo) as file:
            file.write(FALLING)
            file.flush()
            child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=PATIENCE)
        assert child.returncode == 130
        assert said == b""


def _written_to(fifo: Path) -> IO[str]:
    """A pipe that somebody reads; fails after so many looks."""
    for _ in range(3000):
        with suppress(OSError):
            return os.fdopen(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK), "w")
        time.sleep(0.1)
    pytest.fail("nobody reads it")
