"""Values taken out of tensors; the methods that do it are replaced only while a step is looked at."""

from collections.abc import Callable
from functools import wraps
from time import perf_counter

import torch
from torch import Tensor

from traindx.recorder.guard import guarded
from traindx.recorder.hooks.call_site import place
from traindx.recorder.hooks.monkeypatch import Patches, unseen
from traindx.recorder.recorder import Recorder

_WHAT = "counting GPU syncs"
_METHODS = ("item", "tolist", "numpy", "__float__", "__int__", "__bool__")
_ALL_TIMED, _SOME_TIMED = 64, 16
"""So many calls of a step are timed, and of the others one in so many."""
_PLACED = 256
"""One call in so many is asked for its line, and the 1st, 2nd, 4th, 8th ..., for most steps read less."""


class TensorReads:
    """Methods that wait for a device and give a value to Python."""

    def __init__(self, recorder: Recorder, is_compiled: Callable[[], bool]) -> None:
        """`is_compiled` tells whether a compiler is in use, which must read torch's own methods."""
        self._recorder, self._is_compiled = recorder, is_compiled
        self._counting: Patches | None = None

    def install(self, patches: Patches) -> None:
        """See to it that nothing is left at the end."""
        patches.on_undo(self._remove)

    def follow(self) -> None:
        """Count at the step that begins or let it be, as the recorder wishes."""
        if _WHAT in self._recorder.ignored:
            self._remove()
        else:
            guarded(self._recorder, _WHAT, self._follow)

    def _follow(self) -> None:
        if not self._recorder.wants_reads or self._is_compiled():
            self._remove()
            return
        if self._counting is None:
            self._counting = counting = Patches()
            for name in _METHODS:
                counting.shadow(Tensor, name, self._counted)
            counting.shadow(Tensor, "cpu", self._brought)
        self._recorder.reads.begin()

    def _remove(self) -> None:
        self._recorder.reads.is_open = self._recorder.reads.is_counting = False
        if self._counting is not None:
            self._counting.undo()
            self._counting = None

    def _counted(self, original: "Callable[..., object]") -> "Callable[..., object]":
        reads = self._recorder.reads

        @wraps(original)
        def read(*args: object, **kwargs: object) -> object:
            try:
                if not reads.is_counting:
                    return original(*args, **kwargs)
                reads.count = count = reads.count + 1
                if count > _ALL_TIMED and count % _SOME_TIMED:
                    return original(*args, **kwargs)
                began = perf_counter()
                value = original(*args, **kwargs)
                took = perf_counter() - began
            except BaseException as error:
                unseen(error)
                raise
            reads.seconds += took if count <= _ALL_TIMED else took * _SOME_TIMED
            if not count & (count - 1) or not count % _PLACED:
                guarded(self._recorder, _WHAT, lambda: reads.seen_at(place()))
            return value

        return read

    def _brought(self, original: "Callable[..., object]") -> "Callable[..., object]":
        counted = self._counted(original)

        @wraps(original)
        def cpu(*args: object, **kwargs: object) -> object:
            tensor = args[0] if args else None
            # What is there already is not brought; whoever counts the calls of torch would count ours.
            is_asked = type(tensor) is Tensor and not torch._C._len_torch_function_stack()
            try:
                if is_asked and isinstance(tensor, Tensor) and not tensor.is_cpu:
                    return counted(*args, **kwargs)
                return original(*args, **kwargs)
            except BaseException as error:
                unseen(error)
                raise

        return cpu
