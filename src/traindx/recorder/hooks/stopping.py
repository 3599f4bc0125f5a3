"""Ending a program from inside one of its own calls, so that what it does at its end is done."""

import signal
import sys
import threading
from types import TracebackType
from typing import NoReturn


def end_program() -> NoReturn:
    """Leave the program as `sys.exit(0)` does: `finally`, `with` and atexit run, `except Exception` does not.

    Another thread than the main one can only end itself: the main one gets what Ctrl-C would give it.
    """
    main = threading.main_thread()
    if threading.current_thread() is not main and main.ident is not None:
        _say_nothing_of_interrupts()
        # A real signal, to that thread: it may be waiting for this one.
        signal.pthread_kill(main.ident, signal.SIGINT)
    raise SystemExit(0)


def _say_nothing_of_interrupts() -> None:
    """Print no traceback of a Ctrl-C that nobody typed."""
    otherwise = sys.excepthook

    def told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            otherwise(kind, error, trace)

    sys.excepthook = told
