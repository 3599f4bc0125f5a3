"""A recording can be read while it is written, and holds what was written when its process is killed."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.promises.expected import MOST_LOST
from tests.promises.running import command_of, environment, recording
from tests.promises.tape_reading import read_tape
from traindx.readers.loading.runs import load

_SAID = "stderr.txt"


@contextmanager
def endless(out: Path) -> "Iterator[subprocess.Popen[str]]":
    """The endless program under us; both are gone afterward."""
    with (out / _SAID).open("w") as said:
        process = subprocess.Popen(
            recording(command_of("endless"), out),
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            env=environment(out),
            cwd=out,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def steps_until(process: "subprocess.Popen[str]", last: int) -> tuple[int, list[float]]:
    """Read the output until a step: the program's pid and its losses."""
    assert process.stdout is not None
    pid, losses = 0, []
    for line in process.stdout:
        words = line.split()
        if words[0] == "pid":
            pid = int(words[1])
        elif int(words[1]) <= last:
            losses.append(float(words[3]))
        if words[0] == "step" and int(words[1]) == last:
            return pid, losses
    raise AssertionError("the program ended by itself")


def tape_in(out: Path) -> Path:
    (path,) = out.rglob("*.traindx")
    return path


@pytest.mark.parametrize("last", [60, 400])
def test_a_killed_program_leaves_its_recording_and_gets_a_report(last: int, tmp_path: Path) -> None:
    with endless(tmp_path) as process:
        pid, losses = steps_until(process, last)
        os.kill(pid, signal.SIGKILL)
        assert process.stdout is not None
        # Not by communicate(), which knows nothing of lines that were read ahead.
        rest = process.stdout.read()
        process.wait(timeout=120)
    report = (tmp_path / _SAID).read_text()
    # The last line may be torn.
    shown = losses + [float(line.split()[3]) for line in rest.splitlines()[:-1]]
    recorded = read_tape(tape_in(tmp_path)).values("train_loss")
    both = min(len(recorded), len(shown))
    assert recorded[:both] == pytest.approx(shown[:both], rel=1e-6)
    # It may have been killed between a step and its line, and the last line is not counted.
    assert -2 <= len(shown) - len(recorded) <= MOST_LOST
    assert process.returncode == -signal.SIGKILL
    assert "report.html" in report


def test_killing_us_as_well_loses_no_more(tmp_path: Path) -> None:
    with endless(tmp_path) as process:
        _, losses = steps_until(process, 300)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    recorded = read_tape(tape_in(tmp_path)).values("train_loss")
    assert len(recorded) >= 300 - MOST_LOST
    assert recorded[: len(losses)] == pytest.approx(losses[: len(recorded)], rel=1e-6)
    (run,) = load(tape_in(tmp_path))
    assert run.series


def test_a_recording_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    lengths = []
    with endless(tmp_path) as process:
        for last in (60, 160, 260):
            steps_until(process, last)
            recorded = read_tape(tape_in(tmp_path)).values("train_loss")
            lengths.append(len(recorded))
            assert len(recorded) >= last - MOST_LOST
            assert load(tape_in(tmp_path))
        assert lengths == sorted(set(lengths))
