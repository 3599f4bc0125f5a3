"""Functions put instead of others, and put back.

They call the original ones, so their frames stand in every traceback through them: these are taken out.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FunctionType, TracebackType

_PASSED_OVER = str(Path(__file__).with_name("importlib._bootstrap"))
"""Python's warnings take frames of files named like this for a part of the import system."""


def unseen(error: BaseException, frames: int = 1) -> None:
    """Take the frame that caught an error, and more, out of its traceback; `raise` does not put them back."""
    for _ in range(frames):
        if error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next


def unnoticed(wrapped: object) -> object:
    """A function that warnings pass over, so that they name the line of the program that called it."""
    if isinstance(wrapped, FunctionType):
        wrapped.__code__ = wrapped.__code__.replace(co_filename=_PASSED_OVER)
    return wrapped


Function = Callable[..., object]
"""Any function, as it is wrapped or called."""
Replaced = tuple[object, str, object, object]
"""Whose attribute, its name, what it was and what it became."""


class Patches:
    """Attributes that were replaced, and what undoes everything else."""

    def __init__(self) -> None:
        self._replaced: list[Replaced] = []
        self._undo: list[Callable[[], None]] = []

    def replace(self, owner: object, name: str, make: Callable[[Function], object]) -> None:
        """Replace an attribute by what is made of it; an owner that lacks it is left alone."""
        # From the owner's own dictionary: an inherited method must be gone again when it is undone.
        original = vars(owner).get(name)
        if original is None:
            return
        wrapped = unnoticed(make(original))
        setattr(owner, name, wrapped)
        self._replaced.append((owner, name, original, wrapped))

    def shadow(self, owner: type, name: str, make: Callable[[Function], object]) -> None:
        """Put a method before the one that a class inherits; one of its own, or none, is left alone."""
        if name in vars(owner) or not hasattr(owner, name):
            return
        wrapped = unnoticed(make(getattr(owner, name)))
        setattr(owner, name, wrapped)
        self.on_undo(lambda: _unshadow(owner, name, wrapped))

    def wrap(self, owner: object, name: str, call: Function) -> None:
        """Replace a function by one that is given it first, and then what it was called with."""
        self.replace(owner, name, lambda original: wrapping(original, call))

    def wrap_inherited(self, owner: type, name: str, call: Function) -> None:
        """The same for a method that a class inherits."""
        self.shadow(owner, name, lambda original: wrapping(original, call))

    def on_undo(self, undo: Callable[[], None]) -> None:
        """Remember how to undo something else, such as a registered hook."""
        self._undo.append(undo)

    def undo(self) -> list[Replaced]:
        """Put everything back, except what somebody else has replaced since then; tells what was replaced."""
        replaced = list(self._replaced)
        for owner, name, original, wrapped in reversed(self._replaced):
            if vars(owner).get(name) is wrapped:
                setattr(owner, name, original)
        for undo in reversed(self._undo):
            undo()
        self._replaced.clear()
        self._undo.clear()
        return replaced

    def succeed(self, earlier: list[Replaced]) -> None:
        """Let functions of an earlier time do what ours do: a program may have imported them by name."""
        ours = {(id(owner), name): wrapped for owner, name, _, wrapped in self._replaced}
        for owner, name, _, before in earlier:
            now = ours.get((id(owner), name))
            if not isinstance(now, FunctionType) or not isinstance(before, FunctionType):
                continue
            if now.__code__.co_freevars == before.__code__.co_freevars:
                for old, new in zip(before.__closure__ or (), now.__closure__ or (), strict=True):
                    old.cell_contents = new.cell_contents

    @contextmanager
    def lifted(self, owner: object) -> Iterator[None]:
        """The owner's own attributes for a while: a compiler must read what torch wrote."""
        # A compiler calls itself for what it finds on its way: only the outermost call puts things back.
        mine = [
            entry for entry in self._replaced if entry[0] is owner and vars(owner).get(entry[1]) is entry[3]
        ]
        for _, name, original, _ in mine:
            setattr(owner, name, original)
        try:
            yield
        finally:
            for _, name, _, wrapped in mine:
                setattr(owner, name, wrapped)


def wrapping(original: Function, call: Function) -> Function:
    """A function that looks like the original and gives it, with what it is called with, to `call`."""

    @wraps(original)
    def wrapper(*args: object, **kwargs: object) -> object:
        try:
            return call(original, *args, **kwargs)
        except BaseException as error:
            # Its own frame and that of `call`.
            unseen(error, 2)
            raise

    return wrapper


def _unshadow(owner: type, name: str, wrapped: object) -> None:
    if vars(owner).get(name) is wrapped:
        delattr(owner, name)


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
        for cause in _chain(error):
            cause.__traceback__ = _without_ours(cause.__traceback__)
        return _without_ours(trace) or trace
    except Exception:  # an exception may be of any class; better our frames than no traceback
        return trace


def _chain(error: BaseException) -> list[BaseException]:
    """An error, those it came from, and those it groups."""
    chain: list[BaseException] = []
    left: list[BaseException | None] = [error]
    while left:
        link = left.pop()
        if link is None or any(link is other for other in chain):
            continue
        chain.append(link)
        left += [link.__cause__, link.__context__]
        left += link.exceptions if isinstance(link, BaseExceptionGroup) else ()
    return chain


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
