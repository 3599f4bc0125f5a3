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
from traindx.facts import CONTENTION, WORKERS
from traindx.finding import CannotTell, Finding
from traindx.quantities import DATA_TIME, STEP_TIME
from traindx.recorder.contention import Contention
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
        for one in others:
            one.kill()
            one.wait()
        os.sched_setaffinity(0, mine)


@pytest.mark.skipif(not HAS_ACCOUNT, reason="the system keeps no such account")
def test_waiting_for_a_processor_is_known() -> None:
    notebook, contention = Notebook(RecordingWriter(), 0), Contention()
    with busy_beside(3):
        time.sleep(0.3)
        contention.state(notebook)
        end = time.perf_counter() + 1.0
        while time.perf_counter() < end:
            pass
        contention.state(notebook)
    share = notebook.stated(CONTENTION)
    assert isinstance(share, float)
    assert 0.4 < share < 1


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
