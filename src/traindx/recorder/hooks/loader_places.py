"""Where the program makes its data loaders, remembered without keeping them."""

import weakref
from collections.abc import Callable
from functools import wraps
from typing import TypeAlias

from torch.utils.data import DataLoader

from traindx.recorder.hooks.guarding import guarded
from traindx.recorder.hooks.patching import Patches, unseen
from traindx.recorder.hooks.places import calling_place, place
from traindx.recorder.recorder import Recorder

_Places: TypeAlias = dict[int, tuple[weakref.ref[object], str]]
_WHAT = "watching the making of data loaders"


class LoaderPlaces:
    """Lines by what a loader draws with, and by its data: a framework may make a loader over again."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._by_sampler: _Places = {}
        self._by_data: _Places = {}

    def install(self, patches: Patches) -> None:
        """Watch the making of loaders."""
        patches.replace(DataLoader, "__init__", self._made)

    def of(self, sampler: object) -> str:
        """Where the loader that draws with this was made; empty where that was not seen."""
        return _at(self._by_sampler, sampler)

    def _made(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def made(loader: DataLoader, *args: object, **kwargs: object) -> None:
            try:
                original(loader, *args, **kwargs)
            except BaseException as error:
                unseen(error)
                raise
            guarded(self._recorder, _WHAT, lambda: self._note(loader))

        return made

    def _note(self, loader: DataLoader) -> None:
        own = calling_place()
        if own:
            _put(self._by_data, loader.dataset, own)
        _put(self._by_sampler, loader._index_sampler, own or _at(self._by_data, loader.dataset) or place())


def _at(places: _Places, thing: object) -> str:
    """By identity: things of the program may compare and hash as they like."""
    held, where = places.get(id(thing), (None, ""))
    return where if held is not None and held() is thing else ""


def _put(places: _Places, thing: object, where: str) -> None:
    key = id(thing)
    try:
        places[key] = weakref.ref(thing, lambda _: places.pop(key, None)), where
    except TypeError:  # a list of samples
        return
