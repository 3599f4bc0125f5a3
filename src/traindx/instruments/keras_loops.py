"""Keras' own loops on torch: `fit`, `evaluate` and `predict`, their batches, and what they report."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial, wraps
from time import perf_counter
from weakref import WeakKeyDictionary

import keras
from keras.callbacks import CallbackList
from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter
from keras.src.trainers.data_adapters.torch_data_loader_adapter import TorchDataLoaderAdapter
from keras.src.trainers.epoch_iterator import EpochIterator
from torch.utils.data import RandomSampler

from traindx import facts as f
from traindx.fact import Fact, Scalar
from traindx.instruments.guarding import Unheard, guarded
from traindx.instruments.keras_layers import KerasLayers
from traindx.instruments.metrics import report
from traindx.instruments.patching import Patches
from traindx.instruments.torch_sight import TorchSight
from traindx.quantity import Split
from traindx.recording.recorder import Recorder

_WHAT = "watching Keras' loops"


class _Role(Enum):
    """What a loop of Keras is for."""

    FIT = "train"
    VALIDATE = "validate"
    EVALUATE = "test"
    PREDICT = "predict"


class _Data:
    """Stands for the data of one loop of one model, however often Keras makes a data loader for it."""


class KerasLoops:
    """Knows which loop runs; one may run inside another, as validation does inside `fit`."""

    def __init__(self, recorder: Recorder, layers: KerasLayers, changed: Callable[[], None]) -> None:
        """`changed` is called when the recorder may have changed its mind about modules."""
        self._recorder, self._layers, self._changed = recorder, layers, changed
        self._sight = TorchSight()
        self._running: list[tuple[CallbackList, _Role]] = []
        self._sources: WeakKeyDictionary[keras.Model, dict[_Role, _Data]] = WeakKeyDictionary()

    def install(self, patches: Patches) -> None:
        """Watch all loops by the list of callbacks that each of them keeps."""
        for word, role in (("train", _Role.FIT), ("test", _Role.EVALUATE), ("predict", _Role.PREDICT)):
            patches.replace(CallbackList, f"on_{word}_begin", partial(self._begins, role))
            patches.replace(CallbackList, f"on_{word}_end", self._ends)
        patches.replace(CallbackList, "on_epoch_end", self._ends_epoch)
        patches.replace(EpochIterator, "__next__", self._fetches)

    def _begins(self, role: _Role, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def on_begin(callbacks: CallbackList, *args: object, **kwargs: object) -> None:
            guarded(self._recorder, _WHAT, lambda: self._enter(callbacks, role))
            original(callbacks, *args, **kwargs)

        return on_begin

    def _enter(self, callbacks: CallbackList, role: _Role) -> None:
        # Validation inside `fit` is told by the list of callbacks, which is that of `fit`.
        inside = any(one is callbacks for one, _ in self._running)
        self._running.append((callbacks, _Role.VALIDATE if inside and role is _Role.EVALUATE else role))
        self._layers.unheard = role is _Role.PREDICT
        if role is not _Role.FIT:
            return
        self._recorder.state(f.FRAMEWORK, "keras")
        epochs = callbacks.params.get("epochs")
        if isinstance(epochs, int):
            self._recorder.state(f.PLANNED_EPOCHS, epochs)
        self._recorder.names_model(self._layers.told_as(callbacks.model))

    def _ends(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def on_end(callbacks: CallbackList, logs: Mapping[str, object] | None = None) -> None:
            guarded(self._recorder, _WHAT, lambda: self._leave(callbacks, logs or {}))
            original(callbacks, logs)

        return on_end

    def _leave(self, callbacks: CallbackList, logs: Mapping[str, object]) -> None:
        role: _Role | None = None
        # Loops that an exception ended are still above it.
        while self._running and role is None:
            one, ended = self._running.pop()
            role = ended if one is callbacks else None
        self._layers.unheard = bool(self._running) and self._running[-1][1] is _Role.PREDICT
        if role is _Role.VALIDATE:
            report(self._recorder, {f"val_{name}": value for name, value in logs.items()})

    def _ends_epoch(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def on_epoch_end(
            callbacks: CallbackList, epoch: int, logs: Mapping[str, object] | None = None
        ) -> None:
            own = {name: value for name, value in (logs or {}).items() if not name.startswith("val_")}
            guarded(self._recorder, _WHAT, lambda: report(self._recorder, own, Split.TRAIN))
            original(callbacks, epoch, logs)

        return on_epoch_end

    def _fetches(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def fetch(iterator: EpochIterator) -> object:
            began = perf_counter()
            # Keras makes a new data loader for every epoch; by itself each would seem to be other data.
            with Unheard(self._recorder, "fetched", "describes_data"):
                fetched = original(iterator)
            seconds = perf_counter() - began
            guarded(self._recorder, _WHAT, lambda: self._tell_batch(iterator, fetched, seconds))
            return fetched

        return fetch

    def _tell_batch(self, iterator: EpochIterator, fetched: object, seconds: float) -> None:
        # Before any loop has begun, Keras takes a batch to learn its shapes.
        if not self._running or self._running[-1][1] is _Role.PREDICT or not isinstance(fetched, tuple):
            return
        callbacks, role = self._running[-1]
        source = self._sources.setdefault(callbacks.model, {}).setdefault(role, _Data())
        first = fetched[0] == 0
        if first:
            self._recorder.describes_data(source, _facts(iterator.data_adapter))
        tensors = self._sight.tensors((fetched[-1],), {})
        samples = int(tensors[0].shape[0]) if tensors and tensors[0].dim() else 0
        self._recorder.fetched(source, seconds, samples, first, iterator.num_batches or 0)
        self._changed()


def _facts(adapter: object) -> Mapping[Fact, Scalar]:
    """What is known of the data behind a loop."""
    if isinstance(adapter, ArrayDataAdapter):
        return {f.SHUFFLE: bool(adapter._shuffle), f.TRAINING_SAMPLES: int(adapter._num_samples)}
    if isinstance(adapter, TorchDataLoaderAdapter):
        loader = adapter._dataloader
        return {
            f.WORKERS: int(loader.num_workers),
            f.PIN_MEMORY: bool(loader.pin_memory),
            f.SHUFFLE: isinstance(loader.sampler, RandomSampler),
        }
    return {}
