"""Who descends from a process, and that nobody outlives its end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from traindx.recorder.launch import family as families
from traindx.recorder.launch.family import end_program, family

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
        for found in (families._from_ps(), families._from_proc()):
            assert found[child.pid] == (os.getpid(), child.pid)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
