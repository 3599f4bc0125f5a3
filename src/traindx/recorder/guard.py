"""Our work between the program's calls: it must not fail, its time is counted, and it may go unheard.

A fault is recorded once; what failed is not done again, and the program never hears of it.
"""

import threading
from collections.abc import Callable
from functools import wraps
from time import perf_counter
from typing import Concatenate, ParamSpec

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
        self._events = {one for one in events if one not in recorder.ignored}

    def __enter__(self) -> None:
        self._recorder.ignored |= self._events

    def __exit__(self, *_: object) -> None:
        self._recorder.ignored -= self._events
