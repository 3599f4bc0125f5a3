"""Batches from data loaders: how long the program waits for them, and what the loader says of itself."""

from collections.abc import Callable, Mapping
from functools import wraps
from time import perf_counter

from torch import Tensor
from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler
from torch.utils.data.dataloader import _BaseDataLoaderIter

from traindx.facts import LOADER_PLACE, PIN_MEMORY, SHUFFLE, TRAINING_SAMPLES, WORKERS
from traindx.recorder.hooks.guarding import guarded
from traindx.recorder.hooks.loader_places import LoaderPlaces
from traindx.recorder.hooks.patching import Patches, unseen
from traindx.recorder.recorder import Recorder
from traindx.run import Fact, Scalar


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
    lane = recorder.lane

    @wraps(original)
    def fetch(self: _BaseDataLoaderIter) -> object:
        began = perf_counter()
        try:
            batch = original(self)
        except BaseException as error:
            unseen(error)
            raise
        seconds = perf_counter() - began
        if lane.is_open and lane.fetched(self._dataset, seconds, self._num_yielded == 1):
            return batch
        guarded(recorder, "watching data loaders", lambda: _tell(recorder, places, self, batch, seconds))
        changed()
        return batch

    return fetch


def _tell(
    recorder: Recorder, places: LoaderPlaces, iterator: _BaseDataLoaderIter, batch: object, seconds: float
) -> None:
    data = iterator._dataset
    # Asked once: the length of a program's own data set may be a query.
    if not recorder.knows_data(data):
        recorder.describes_data(data, _facts(iterator, places.of(iterator._index_sampler)))
    first = iterator._num_yielded == 1
    recorder.fetched(data, seconds, _samples(batch), first, _batches(iterator, recorder.size_of(data)))


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
