"""Work of an instrument of its own, between the program's calls: it must not fail there, and it is timed."""

from collections.abc import Callable
from time import perf_counter

from traindx.recorder.recorder import Recorder


def guarded(recorder: Recorder, what: str, act: Callable[[], object]) -> None:
    """Do something; if it fails, that is recorded once and it is not done again."""
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

    def __init__(self, recorder: Recorder, *events: str) -> None:
        self._recorder = recorder
        self._events = {one for one in events if one not in recorder.ignored}

    def __enter__(self) -> None:
        self._recorder.ignored |= self._events

    def __exit__(self, *_: object) -> None:
        self._recorder.ignored -= self._events
