"""Our work between the program's calls: it must not fail, its time is counted and stated, and may go unheard.

A fault is recorded once; what failed is not done again, and the program never hears of it.
"""

import threading
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from time import perf_counter, process_time
from typing import Concatenate, ParamSpec

from traindx.facts import CONTENTION, RECORDED_SECONDS, RECORDING_COST, RECORDING_SECONDS
from traindx.recorder.sampling import Notebook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.recorder import Recorder

P = ParamSpec("P")
_FAST_PATH = "the fast path"
_WITHIN_FAST_PATH = frozenset({"clipped", "fast_path_ends"})
"""Events that belong to plain steps as well."""


def event(method: "Callable[Concatenate[Recorder, P], None]") -> "Callable[Concatenate[Recorder, P], None]":
    """Guard and time an event of the recorder, and leave out other threads than the one that trains."""
    name = method.__name__
    thread_of = threading.get_ident

    @wraps(method)
    def heard(self: "Recorder", /, *args: P.args, **kwargs: P.kwargs) -> None:
        if name in self.ignored or (self.thread and self.thread != thread_of()):
            return
        began = perf_counter()
        self.began = self.began or began
        reads = self.reads
        was_open, counting, reads.is_counting = reads.is_open, reads.is_counting, False
        try:
            if self.fast_path.is_open and name not in _WITHIN_FAST_PATH:
                self.loop.leave_fast_path(self.spent + self.fast_path.spent)
            if self.fast_path.fault is not None and _FAST_PATH not in self.ignored:
                self.steps_aside(_FAST_PATH, self.fast_path.fault)
            method(self, *args, **kwargs)
        except Exception as error:  # whatever goes wrong in here must not reach the program
            self.steps_aside(name, error)
        finally:
            reads.is_counting = reads.is_open and (counting or not was_open)
            self.spent += perf_counter() - began

    return heard


def guarded(recorder: "Recorder", what: str, act: Callable[[], object]) -> None:
    """Do something beside the events; if it fails, that is recorded once and it is not done again."""
    if what in recorder.ignored:
        return
    began, spent = perf_counter(), recorder.spent
    reads = recorder.reads
    was_open, counting, reads.is_counting = reads.is_open, reads.is_counting, False
    try:
        act()
    except Exception as error:  # whatever goes wrong in here must not reach the program
        recorder.steps_aside(what, error)
    finally:
        # Events of the recorder within count their own time: it would count twice.
        recorder.spent = spent + perf_counter() - began
        reads.is_counting = reads.is_open and (counting or not was_open)


class Unheard:
    """Events that are not heard inside a call which is told as a whole."""

    def __init__(self, recorder: "Recorder", *events: str) -> None:
        self._recorder = recorder
        self._events = {name for name in events if name not in recorder.ignored}

    def __enter__(self) -> None:
        self._recorder.ignored |= self._events

    def __exit__(self, *_: object) -> None:
        self._recorder.ignored -= self._events


_ACCOUNT = Path("/proc/thread-self/schedstat")
"""Of the calling thread, in Linux: nanoseconds on a processor, and ready to run without one."""


class Contention:
    """What the account of the training thread says since it was first asked."""

    def __init__(self) -> None:
        self._thread = 0
        self._began = (0, 0)

    def share(self) -> float | None:
        """The share of the time it could run that the thread waited, where the system tells it.

        A thread that is asked first begins its account.
        """
        now = _account()
        if now is None:
            return None
        if self._thread != threading.get_ident():
            self._thread, self._began = threading.get_ident(), now
            return None
        ran, waited = (after - before for after, before in zip(now, self._began, strict=True))
        return waited / (ran + waited) if ran + waited > 0 else None


class Cost:
    """States what recording takes: processor time, whoever else uses the machine.

    Events are timed by the clock on the wall, which costs a tenth of asking for processor time; what the
    thread waited for a processor meanwhile is taken off as a whole.
    """

    def __init__(self, began: float) -> None:
        """`began`: processor time of the process when the program that is recorded began."""
        self.of_start = 0.0
        """What importing and attaching the recorder took."""
        self._began, self._contention = began, Contention()

    def state(self, notebook: Notebook, spent: float, elapsed: float) -> None:
        """State it, after so many seconds, some of them spent in events."""
        waited = self._contention.share()
        ours = self.of_start + spent * (1 - (waited or 0.0))
        program = process_time() - self._began - ours
        if program > 0:
            notebook.state(RECORDING_COST, round(ours / program, 4))
        notebook.state(RECORDING_SECONDS, round(ours, 3))
        notebook.state(RECORDED_SECONDS, round(elapsed, 3))
        if waited is not None:
            notebook.state(CONTENTION, round(waited, 3))


def _account() -> tuple[int, int] | None:
    try:
        ran, waited, *_ = map(int, _ACCOUNT.read_text().split())
    except (OSError, ValueError):  # not Linux, or a kernel without these statistics
        return None
    return ran, waited
