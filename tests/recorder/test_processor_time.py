"""Waiting that other programs explain is told from waiting that the training makes itself."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from tests.trainings import CLASSIFIES, recorded
from traindx.causes.data_loading_bottleneck import data_wait_dominates
from traindx.facts import CONTENTION, RECORDING_SECONDS, WORKERS
from traindx.finding import CannotTell, Finding
from traindx.quantities import DATA_TIME, STEP_TIME
from traindx.recorder.guard import Contention, Cost
from traindx.recorder.recording_writer import RecordingWriter
from traindx.recorder.sampling import Notebook
from traindx.run import Run, Series

HAS_ACCOUNT = Path("/proc/thread-self/schedstat").exists() and hasattr(os, "sched_setaffinity")


@contextmanager
def busy_beside(number: int) -> Iterator[None]:
    """So many programs on the one processor that this one may use."""
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(mine)})
    program = "import time; end = time.time() + 20\nwhile time.time() < end: pass"
    others = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(number)]
    try:
        yield
    finally:
        for process in others:
            process.kill()
            process.wait()
        os.sched_setaffinity(0, mine)


@pytest.mark.skipif(not HAS_ACCOUNT, reason="the system keeps no such account")
def test_waiting_for_a_processor_is_known() -> None:
    contention = Contention()
    with busy_beside(3):
        time.sleep(0.3)
        assert contention.share() is None
        _compute(1.0)
        share = contention.share()
    assert share is not None
    assert 0.4 < share < 1


@pytest.mark.skipif(not HAS_ACCOUNT, reason="the system keeps no such account")
def test_the_cost_is_processor_time_however_long_it_took() -> None:
    notebook, cost = Notebook(RecordingWriter(), 0), Cost(time.process_time())
    cost.of_start = 0.01
    with busy_beside(3):
        time.sleep(0.3)
        cost.state(notebook, 0.0, 1.0)
        began = time.thread_time()
        _compute(1.0)
        used = time.thread_time() - began
        # Half of the second was spent in events, by the clock on the wall.
        cost.state(notebook, 0.5, 1.0)
    seconds = notebook.stated(RECORDING_SECONDS)
    assert isinstance(seconds, float)
    assert seconds == pytest.approx(0.01 + used / 2, rel=0.25)


def _compute(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


@pytest.mark.skipif(not HAS_ACCOUNT, reason="the system keeps no such account")
def test_a_recording_states_it() -> None:
    share = recorded(CLASSIFIES).facts.get(CONTENTION)
    assert share is None or (isinstance(share, float) and 0 <= share <= 1)


@pytest.mark.parametrize(
    ("waits", "workers", "contention", "is_found"),
    [(0.6, 2, 0.0, True), (0.6, 2, 0.5, False), (0.9, 2, 0.4, True), (0.6, 0, 0.5, True)],
)
def test_workers_that_stand_in_line_are_no_slow_loader(
    waits: float, workers: int, contention: float, is_found: bool
) -> None:
    steps = np.arange(1.0, 101)
    series = (Series(DATA_TIME, steps, np.full(100, waits)), Series(STEP_TIME, steps, np.ones(100)))
    answer = data_wait_dominates(Run("run", series, facts={WORKERS: workers, CONTENTION: contention}))
    assert isinstance(answer, Finding if is_found else CannotTell)
