"""Arms as processes of this machine."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from traindx.recorder.launch.command import Command
from traindx.trials.program import OUTPUT, ArmSpec
from traindx.trials.runner import LocalRunner, cores
from traindx.trials.workspace import workspace_of


def ordered(here: Path, program: str, **more: object) -> ArmSpec:
    (here / "train.py").write_text(program)
    words = (sys.executable, "train.py")
    return ArmSpec(Command(sys.executable, words), here / ".arms" / "one", here, **more)  # type: ignore[arg-type]


def test_there_are_never_more_arms_than_cores(tmp_path: Path) -> None:
    runner = LocalRunner(workspace_of(tmp_path))
    may = sorted(os.sched_getaffinity(0))
    assert runner.at_once(timed=False) <= len(may) == cores()
    assert runner.at_once(timed=True) == 1
    assert runner.at_once(timed=False) * runner.threads(timed=False) <= len(may)
    # Of a machine's cores this process may have been given few.
    os.sched_setaffinity(0, may[:1])
    try:
        assert (runner.at_once(timed=False), runner.threads(timed=False)) == (1, 1)
    finally:
        os.sched_setaffinity(0, may)


def test_an_arm_has_other_files_and_leaves_ours(tmp_path: Path) -> None:
    order = ordered(tmp_path, "print(open('notes.txt').read())", replaced=(("notes.txt", b"patched"),))
    (tmp_path / "notes.txt").write_text("as it is")
    done = LocalRunner(workspace_of(tmp_path)).carry_out(order)
    assert (order.folder / OUTPUT).read_text() == "patched\n"
    assert (tmp_path / "notes.txt").read_text() == "as it is"
    assert done.order.place != tmp_path
    assert not done.order.place.exists()


def test_what_is_running_is_ended(tmp_path: Path) -> None:
    order = ordered(tmp_path, f"import time; open({str(tmp_path / 'began')!r}, 'w'); time.sleep(600)")
    runner = LocalRunner(workspace_of(tmp_path))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(runner.carry_out, order)
        while not (tmp_path / "began").exists():
            assert not running.done()
            time.sleep(0.01)
        runner.close()
        assert running.result(timeout=60).run is None
