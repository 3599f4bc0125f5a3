"""What a loop waits for: batches of its data loaders, and values taken out of tensors.

The methods that take values out are replaced only while a step is looked at.
"""

import weakref
from collections.abc import Callable, Mapping
from functools import wraps
from time import perf_counter
from typing import TypeAlias

import torch
from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler
from torch.utils.data.dataloader import _BaseDataLoaderIter

from traindx.facts import LOADER_PLACE, PIN_MEMORY, SHUFFLE, TRAINING_SAMPLES, WORKERS
from traindx.recorder.guard import guarded
from traindx.recorder.hooks.call_site import calling_place, place
from traindx.recorder.hooks.monkeypatch import Function, Patches, unseen
from traindx.recorder.recorder import Recorder
from traindx.run import Fact, Scalar

_Places: TypeAlias = dict[int, tuple[weakref.ref[object], str]]
_RECORDING_LOADERS = "recording new data loaders"


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

    def _made(self, original: Function, loader: DataLoader, *args: object, **kwargs: object) -> None:
        original(loader, *args, **kwargs)
        guarded(self._recorder, _RECORDING_LOADERS, lambda: self._note(loader))

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
    original: Function, recorder: Recorder, places: LoaderPlaces, changed: Callable[[], None]
) -> Function:
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


def _facts(iterator: _BaseDataLoaderIter, location: str) -> Mapping[Fact, Scalar]:
    facts: dict[Fact, Scalar] = {WORKERS: iterator._num_workers, PIN_MEMORY: bool(iterator._pin_memory)}
    if location:
        facts[LOADER_PLACE] = location
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


_COUNTING_SYNCS = "counting GPU syncs"
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
        if _COUNTING_SYNCS in self._recorder.ignored:
            self._remove()
        else:
            guarded(self._recorder, _COUNTING_SYNCS, self._follow)

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

    def _counted(self, original: Function) -> Function:
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
                guarded(self._recorder, _COUNTING_SYNCS, lambda: reads.seen_at(place()))
            return value

        return read

    def _brought(self, original: Function) -> Function:
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
