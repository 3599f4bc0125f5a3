"""A line below the cell of a notebook: how far a watched training is, and whether something is wrong.

It is redrawn by a thread that only reads the recording. At the end the diagnosis takes its place.
"""

import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.errors import TraindxError
from traindx.format import clock, percent
from traindx.recorder.launch.outcome import steps_recorded

_PAUSE = 1.0
"""Seconds between two lines."""
_REST = 50.0
"""Time between two diagnoses over what one takes: they take 2% of a processor at most."""


class _Handle(Protocol):
    """An output of a cell that can be replaced."""

    def update(self, obj: object, *, raw: bool = False) -> None:
        """Show something else in its place."""


class LiveLine:
    """The line of one watch, from its first step until it is closed."""

    def __init__(self, handle: _Handle, folder: Path, diagnose: Callable[[], Diagnosis]) -> None:
        self._handle, self._folder, self._diagnose = handle, folder, diagnose
        self._began = time.monotonic()
        self._next, self._verdict = 0.0, ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._redraw, name="traindx line", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop redrawing, and show the diagnosis of the whole run."""
        self._over.set()
        self._thread.join()
        try:
            self._handle.update(self._diagnose())
        except TraindxError as error:
            self._say(str(error))

    def _redraw(self) -> None:
        while not self._over.wait(_PAUSE):
            steps = steps_recorded(self._folder)
            if steps:
                self._judge()
                elapsed = clock(time.monotonic() - self._began)
                self._say(f"traindx · {self._folder.name} · step {steps:,} · {elapsed}{self._verdict}")

    def _judge(self) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        try:
            self._verdict = f" · {_told(self._diagnose())}"
        except TraindxError:
            self._verdict = ""
        took = time.monotonic() - now
        self._next = now + _REST * took

    def _say(self, line: str) -> None:
        self._handle.update({"text/plain": line}, raw=True)


def _told(diagnosis: Diagnosis) -> str:
    if diagnosis.verdict is not Verdict.SICK:
        return str(diagnosis.verdict.value)
    if not diagnosis.suspects:
        return f"SICK: {diagnosis.says}"
    first = diagnosis.suspects[0]
    return f"SICK {percent(first.confidence)}: {first.cause.title}"


def notebook_output() -> _Handle | None:
    """A new output below the running cell; None outside of notebooks."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    line: Mapping[str, str] = {"text/plain": "traindx · recording"}
    handle: _Handle | None = display(line, raw=True, display_id=True)
    return handle
