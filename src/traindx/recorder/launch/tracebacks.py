"""Tracebacks of the program as they would be without us.

Functions that recording wraps call the original ones, so their frames stand in every traceback through them.
"""

import os
import sys
import threading
from types import TracebackType

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "")


def hide_from_tracebacks() -> None:
    """Print tracebacks as they would be without the functions we wrapped."""
    ends_program, ends_thread = sys.excepthook, threading.excepthook

    def program_ends(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        ends_program(kind, error, _pruned(error, trace))

    def thread_ends(ending: threading.ExceptHookArgs) -> None:
        if ending.exc_value is not None:
            parts = (ending.exc_type, ending.exc_value, _pruned(ending.exc_value, ending.exc_traceback))
            ending = threading.ExceptHookArgs((*parts, ending.thread))
        ends_thread(ending)

    sys.excepthook, threading.excepthook = program_ends, thread_ends


def _pruned(error: BaseException, trace: TracebackType | None) -> TracebackType | None:
    """A traceback without our frames; those of the errors it came from are pruned in place."""
    try:
        for one in _chain(error):
            one.__traceback__ = _without_ours(one.__traceback__)
        return _without_ours(trace) or trace
    except Exception:  # an exception may be of any class; better our frames than no traceback
        return trace


def _chain(error: BaseException) -> list[BaseException]:
    """An error, those it came from, and those it groups."""
    found: list[BaseException] = []
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is None or any(one is other for other in found):
            continue
        found.append(one)
        left += [one.__cause__, one.__context__]
        left += one.exceptions if isinstance(one, BaseExceptionGroup) else ()
    return found


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    first = _next_of_theirs(trace)
    last = first
    while last is not None:
        last.tb_next = _next_of_theirs(last.tb_next)
        last = last.tb_next
    return first


def _next_of_theirs(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        trace = trace.tb_next
    return trace
