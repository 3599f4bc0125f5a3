"""Batches from data loaders: how long the program waits, where loaders are made, what they are set to."""

import weakref
from collections.abc import Callable, Mapping
from functools import wraps
from time import perf_counter
from typing import TypeAlias

from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler
from torch.utils.data.dataloader import _BaseDataLoaderIter

from traindx.facts import LOADER_PLACE, PIN_MEMORY, SHUFFLE, TRAINING_SAMPLES, WORKERS
from traindx.recorder.guard import guarded
from traindx.recorder.hooks.call_site import calling_place, place
from traindx.recorder.hooks.monkeypatch import Patches, unseen
from traindx.recorder.recorder import Recorder
from traindx.run import Fact, Scalar

_Places: TypeAlias = dict[int, tuple[weakref.ref[object], str]]
_WHAT = "recording new data loaders"


class LoaderPlaces:
    """Lines by what a loader draws with, and by its data: a framework may make a loader over again."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._by_sampler: _Places = {}
        self._by_data: _Places = {}

    def install(self, patches: Patches) -> None:
        """Watch the making of loaders."""
        patches.wrap(DataLoader, "__init__", self._made)

    def of(self, sampler: object) -> str:
        """Where the loader that draws with this was made; empty where that was not seen."""
        return _at(self._by_sampler, sampler)

    def _made(
        self, original: Callable[..., object], loader: DataLoader, *args: object, **kwargs: object
    ) -> None:
        original(loader, *args, **kwargs)
        guarded(self._recorder, _WHAT, lambda: self._note(loader))

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


def install(recorder: Recorder, patches: Patches, changed: Callable[[], None]) -> None:
    """Watch every data loader."""
    places = LoaderPlaces(recorder)
    places.install(patches)
    patches.replace(
        _BaseDataLoaderIter, "__next__", lambda original: _watched(original, recorder, places, changed)
    )


def _watched(
    original: "Callable[..., object]", recorder: Recorder, places: LoaderPlaces, changed: Callable[[], None]
) -> "Callable[..., object]":
    fast_path = recorder.fast_path

    @wraps(original)
    def fetch(self: _BaseDataLoaderIter) -> object:
        began = perf_counter()
        try:
            batch = original(self)
        except BaseException as error:
            unseen(error)
            raise
        seconds = perf_counter() - began
        if fast_path.is_open and fast_path.fetched(self._dataset, seconds, self._num_yielded == 1):
            return batch
        guarded(recorder, "recording data loaders", lambda: _tell(recorder, places, self, batch, seconds))
        changed()
        return batch

    return fetch


def _tell(
    recorder: Recorder, places: LoaderPlaces, iterator: _BaseDataLoaderIter, batch: object, seconds: float
) -> None:
    data, sources = iterator._dataset, recorder.loop.sources
    # Asked once: the length of a program's own data set may be a query.
    if not sources.knows(data):
        recorder.describes_data(data, _facts(iterator, places.of(iterator._index_sampler)))
    first = iterator._num_yielded == 1
    recorder.fetched(data, seconds, _samples(batch), first, _batches(iterator, sources.size_of(data)))


def _facts(iterator: _BaseDataLoaderIter, place: str) -> Mapping[Fact, Scalar]:
    facts: dict[Fact, Scalar] = {WORKERS: iterator._num_workers, PIN_MEMORY: bool(iterator._pin_memory)}
    if place:
        facts[LOADER_PLACE] = place
    sampler = getattr(iterator._index_sampler, "sampler", iterator._index_sampler)
    facts[SHUFFLE] = isinstance(sampler, RandomSampler)
    try:
        facts[TRAINING_SAMPLES] = len(iterator._dataset)
    except Exception:  # a stream of unknown length, or a data set of the program's own that fails here
        return facts
    return facts


def _samples(batch: object) -> int:
    value = batch
    while isinstance(value, list | tuple | dict) and value:
        value = next(iter(value.values())) if isinstance(value, dict) else value[0]
    return int(value.shape[0]) if isinstance(value, Tensor) and value.dim() else 0


def _batches(iterator: _BaseDataLoaderIter, samples: int) -> int:
    """Batches in a pass, by torch's own samplers; 0 for those of the program."""
    batches = iterator._index_sampler
    if type(batches) is not BatchSampler or type(batches.sampler) not in (RandomSampler, SequentialSampler):
        return 0
    drawn = getattr(batches.sampler, "_num_samples", None) or samples
    return int(drawn // batches.batch_size if batches.drop_last else -(-drawn // batches.batch_size))
