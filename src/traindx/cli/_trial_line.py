"""The live line of a treatment: which trial run, how far it is, how long it took, and when it may be over."""

import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

from traindx.cli._output import ProgressLine
from traindx.diagnosis.types import Diagnosis
from traindx.format import clock, duration
from traindx.recorder.launch.outcome import steps_recorded
from traindx.run import Run
from traindx.trials.types import TrialRun, Watcher

_PAUSE = 0.5
"""Seconds between two looks at how far a trial run is."""
_BAR = 14


class TrialLine(Watcher):
    """Shows the diagnosis when it is known, then one line that tells how far the trials are."""

    def __init__(self, minutes: float, show: Callable[[Run, Diagnosis], None]) -> None:
        self._limit, self._show = 60 * minutes, show
        self._progress, self._lock = ProgressLine(), threading.Lock()
        self._running: dict[int, TrialRun] = {}
        self._seconds: list[float] = []
        self._ordered = 0
        self._says = ""
        self._began = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._redraw, name="traindx trials", daemon=True)

    def __enter__(self) -> "TrialLine":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._progress.wipe()

    def say(self, says: str) -> None:
        """What is done outside of trial runs."""
        with self._lock:
            self._says = says

    def diagnosed(self, run: Run, diagnosis: Diagnosis) -> None:
        """Show what is wrong, before minutes are spent on proving it."""
        with self._lock:
            self._progress.wipe()
            self._show(run, diagnosis)

    def begins(self, trial_run: TrialRun) -> None:
        """One more runs."""
        with self._lock:
            self._running[trial_run.number] = trial_run
            self._ordered = max(self._ordered, trial_run.ordered)

    def ends(self, trial_run: TrialRun, seconds: float) -> None:
        """One has ended; without a terminal that is all that is said."""
        with self._lock:
            self._running.pop(trial_run.number, None)
            self._seconds.append(seconds)
            if not sys.stderr.isatty():
                sys.stderr.write(f"{_told(trial_run, self._ordered)} · {duration(seconds)}\n")

    def _redraw(self) -> None:
        while not self._over.wait(_PAUSE):
            with self._lock:
                self._progress.say(self._line())

    def _line(self) -> str:
        elapsed = clock(time.monotonic() - self._began)
        if not self._running:
            return f"{self._says.partition(' · ')[0]} · {elapsed}"
        current = min(self._running.values(), key=lambda one: one.number)
        reached = min(steps_recorded(current.folder), current.steps)
        done = round(_BAR * len(self._seconds) / max(self._ordered, 1))
        bar = f"[{'#' * done}{'.' * (_BAR - done)}]"
        told = f"{bar} {_told(current, self._ordered)} · step {reached:,}/{current.steps:,} · {elapsed}"
        return told + self._remaining()

    def _remaining(self) -> str:
        """Until all trial runs that are decided on have ended, by what those before took."""
        if not self._seconds:
            return f" · limit {clock(self._limit)}"
        left = self._ordered - len(self._seconds)
        seconds = left * sum(self._seconds) / len(self._seconds) / max(len(self._running), 1)
        return f" · ETA {clock(seconds)}"


def _told(trial_run: TrialRun, ordered: int) -> str:
    return f"trial {trial_run.number}/{ordered}: {trial_run.label}, seed {trial_run.seed}"
