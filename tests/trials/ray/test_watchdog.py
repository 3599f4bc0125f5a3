"""Who ends a program whose worker is gone."""

import os
import subprocess
import sys
import time
from pathlib import Path

from traindx.trials.ray import watchdog


def keep(home: Path) -> "subprocess.Popen[str]":
    home.mkdir()
    (home / "file").touch()
    return subprocess.Popen(
        [sys.executable, "-I", "-S", watchdog.__file__, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def tell(watcher: "subprocess.Popen[str]", words: str) -> None:
    """Say something, hang up, and wait until all of the watcher is gone: it leaves its parent at once."""
    watcher.communicate(words, timeout=60)


def training() -> "subprocess.Popen[bytes]":
    """A program that starts another, which ignores what it is asked to do; it never ends by itself."""
    program = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork(); time.sleep(600)"
    )
    return subprocess.Popen([sys.executable, "-c", program], process_group=0)


def has_processes(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_program_and_its_folder_go_with_the_worker(tmp_path: Path) -> None:
    program, watcher = training(), keep(tmp_path / "home")
    tell(watcher, f"{program.pid}\n")
    assert program.wait(60) == -9
    assert not (tmp_path / "home").exists()
    while has_processes(program.pid):
        time.sleep(0.01)


def test_nothing_is_touched_when_all_is_well(tmp_path: Path) -> None:
    program, watcher = training(), keep(tmp_path / "home")
    tell(watcher, f"{program.pid}\n{watchdog.OVER}\n")
    assert program.poll() is None
    assert (tmp_path / "home" / "file").exists()
    os.killpg(program.pid, 9)
    program.wait(60)
