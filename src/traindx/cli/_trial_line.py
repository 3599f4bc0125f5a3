"""The line on the terminal that says how far the trials of a treatment are."""

import math
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

from traindx.cli._output import terminal_width
from traindx.diagnosis.types import Diagnosis
from traindx.format import clock, duration, printable
from traindx.recorder.launch.outcome import steps_recorded
from traindx.run import Run
from traindx.trials.types import TrialRun, Watcher

_PAUSE = 0.5
"""Seconds between two looks at how far a trial run is."""
_BAR, _LEAST = 14, 4
"""Columns of the bar, and the fewest of it or of what is tried."""
_WIPE = "\r\x1b[J"
"""Back to the start of the line, and clear all from there on."""
_UP = "\x1b[A\r"


class TrialLine(Watcher):
    """Shows the diagnosis when it is known, then one line that tells how far the trials are."""

    def __init__(self, minutes: float, show: Callable[[Run, Diagnosis], None]) -> None:
        self._limit, self._show = 60 * minutes, show
        self._lock = threading.Lock()
        self._running: dict[int, TrialRun] = {}
        self._since: dict[int, float] = {}
        self._seconds: list[float] = []
        self._ended = self._ordered = 0
        self._says = "starting"
        self._began = time.monotonic()
        self._over = threading.Event()
        self._is_live = sys.stderr.isatty()
        self._thread = threading.Thread(target=self._redraw, name="traindx trials", daemon=True)

    def __enter__(self) -> "TrialLine":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._write("")

    def say(self, says: str) -> None:
        """What is done outside of trial runs."""
        with self._lock:
            self._says = says

    def diagnosed(self, run: Run, diagnosis: Diagnosis) -> None:
        """Show what is wrong, before minutes are spent on proving it."""
        with self._lock:
            self._write("")
            self._show(run, diagnosis)

    def begins(self, trial_run: TrialRun) -> None:
        """One more runs."""
        with self._lock:
            self._running[trial_run.number] = trial_run
            self._since[trial_run.number] = time.monotonic()
            self._ordered = max(self._ordered, trial_run.ordered)

    def ends(self, trial_run: TrialRun, seconds: float, *, is_reused: bool) -> None:
        """One has ended; without a terminal that is all that is said."""
        with self._lock:
            self._running.pop(trial_run.number, None)
            self._ended += 1
            self._seconds += [] if is_reused else [seconds]
            if not self._is_live:
                took = "reused" if is_reused else duration(seconds)
                sys.stderr.write(f"{self._told(trial_run)} · {took}\n")
                sys.stderr.flush()

    def _redraw(self) -> None:
        while not self._over.wait(_PAUSE):
            with self._lock:
                self._write(self._line(terminal_width(sys.stderr) - 1))

    def _write(self, line: str) -> None:
        """Put the line and its hint where the last ones were; without a line only take those away."""
        if self._is_live:
            hint = f"Ctrl-C keeps what is done; limit {clock(self._limit)}"
            sys.stderr.write(f"{_WIPE}{line}\n{hint}{_UP}" if line else _WIPE)
            sys.stderr.flush()

    def _line(self, width: int) -> str:
        elapsed = clock(time.monotonic() - self._began)
        if not self._running:
            return printable(f"{self._says.partition(' · ')[0]} · {elapsed}", width)
        current = min(self._running.values(), key=lambda trial: trial.number)
        reached = min(steps_recorded(current.folder), current.steps)
        sentence = self._told(current)
        left = clock(math.ceil(self._remaining(current.seconds)))
        behind = f" · step {reached:,}/{current.steps:,} · {elapsed} · ETA {left}"
        # What is tried may be named by many words; a line that wraps could not be taken back.
        bar = self._bar(width - len(sentence) - len(behind))
        return f"{bar}{printable(sentence, max(width - len(bar) - len(behind), _LEAST))}{behind}"[:width]

    def _bar(self, room: int) -> str:
        """How much is done, in the room there is; empty where that is too small for a bar."""
        columns = min(room - len("[] "), _BAR)
        done = round(columns * self._ended / max(self._ordered, 1))
        return f"[{'#' * done}{'.' * (columns - done)}] " if columns >= _LEAST else ""

    def _remaining(self, first: float) -> float:
        """Seconds until all trial runs that are decided on have ended, by what those before took."""
        typical = sum(self._seconds) / len(self._seconds) if self._seconds else first
        running = sum(self._left(trial, typical) for trial in self._running.values())
        waiting = max(self._ordered - self._ended - len(self._running), 0)
        return (running + waiting * typical) / max(len(self._running), 1)

    def _left(self, trial: TrialRun, typical: float) -> float:
        """Seconds until a trial run ends: by what others took, or by its own pace if it is slower."""
        elapsed = time.monotonic() - self._since[trial.number]
        share = min(steps_recorded(trial.folder) / max(trial.steps, 1), 1.0)
        return max(typical - elapsed, elapsed * (1 - share) / share if share else 0.0)

    def _told(self, trial_run: TrialRun) -> str:
        return f"trial {trial_run.number}/{self._ordered}: {trial_run.label}, seed {trial_run.seed}"
