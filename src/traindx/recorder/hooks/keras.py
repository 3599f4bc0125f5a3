"""Keras on torch: its loops `fit`, `evaluate` and `predict`, and what puts all hooks of Keras in place."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from time import perf_counter
from typing import cast
from weakref import WeakKeyDictionary, ref

import keras
from keras.callbacks import CallbackList
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter
from keras.src.trainers.data_adapters.torch_data_loader_adapter import TorchDataLoaderAdapter
from keras.src.trainers.epoch_iterator import EpochIterator
from torch import nn
from torch.utils.data import RandomSampler

from traindx import facts as f
from traindx.recorder.guard import Unheard, guarded
from traindx.recorder.hooks.backward import Scaling
from traindx.recorder.hooks.calls import Modules
from traindx.recorder.hooks.keras_layers import KerasLayers, install_losses
from traindx.recorder.hooks.keras_optimizers import KerasOptimizers
from traindx.recorder.hooks.metrics import report
from traindx.recorder.hooks.monkeypatch import Function, Patches
from traindx.recorder.hooks.torch_backend import TorchBackend
from traindx.recorder.recorder import Recorder
from traindx.run import Fact, Scalar, Split

_WHAT = "recording Keras loops"


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
        self._backend = TorchBackend()
        self._running: list[tuple[ref[CallbackList], _Role]] = []
        self._at_hand: _Data | None = None
        """The data of the last batch."""
        self._sources: WeakKeyDictionary[keras.Model, dict[_Role, _Data]] = WeakKeyDictionary()

    def install(self, patches: Patches) -> None:
        """Watch all loops by the list of callbacks that each of them keeps."""
        for word, role in (("train", _Role.FIT), ("test", _Role.EVALUATE), ("predict", _Role.PREDICT)):
            self._tell_before(patches, f"on_{word}_begin", partial(self._enter, role))
            self._tell_before(patches, f"on_{word}_end", self._leave)
        self._tell_before(patches, "on_epoch_end", self._epoch_ends)
        patches.wrap(EpochIterator, "__next__", self._fetch)

    def _tell_before(self, patches: Patches, name: str, act: Callable[..., None]) -> None:
        """Do something before a method of the list of callbacks."""

        def told(original: Function, *args: object, **kwargs: object) -> object:
            guarded(self._recorder, _WHAT, lambda: act(*args, **kwargs))
            return original(*args, **kwargs)

        patches.wrap(CallbackList, name, told)

    def _enter(self, role: _Role, callbacks: CallbackList, logs: object = None) -> None:
        # Validation inside `fit` is told by the list of callbacks, which is that of `fit`.
        inside = any(reference() is callbacks for reference, _ in self._running)
        self._running.append((ref(callbacks), _Role.VALIDATE if inside and role is _Role.EVALUATE else role))
        self._layers.unheard = role is _Role.PREDICT
        if role is not _Role.FIT:
            return
        self._recorder.state(f.FRAMEWORK, "keras")
        epochs = callbacks.params.get("epochs")
        if isinstance(epochs, int):
            self._recorder.state(f.PLANNED_EPOCHS, epochs)
        self._recorder.names_model(self._layers.told_as(callbacks.model))

    def _leave(self, callbacks: CallbackList, logs: Mapping[str, object] | None = None) -> None:
        role: _Role | None = None
        # Loops that an exception ended are still above it.
        while self._running and role is None:
            reference, ended = self._running.pop()
            role = ended if reference() is callbacks else None
        self._layers.unheard = bool(self._running) and self._running[-1][1] is _Role.PREDICT
        if role is _Role.VALIDATE:
            report(self._recorder, {f"val_{name}": value for name, value in (logs or {}).items()})

    def _epoch_ends(
        self, callbacks: CallbackList, epoch: int, logs: Mapping[str, object] | None = None
    ) -> None:
        own = {name: value for name, value in (logs or {}).items() if not name.startswith("val_")}
        report(self._recorder, own, Split.TRAIN)

    def _fetch(self, original: Function, iterator: EpochIterator) -> object:
        fast_path = self._recorder.fast_path
        began = perf_counter()
        # Keras makes a new data loader for every epoch; by itself each would seem to be other data.
        with Unheard(self._recorder, "fetched", "describes_data"):
            fetched = cast("tuple[object, ...]", original(iterator))
        seconds = perf_counter() - began
        known = self._at_hand
        if not (fast_path.is_open and known and fast_path.fetched(known, seconds, fetched[0] == 0)):
            guarded(self._recorder, _WHAT, lambda: self._tell_batch(iterator, fetched, seconds))
        return fetched

    def _tell_batch(self, iterator: EpochIterator, fetched: tuple[object, ...], seconds: float) -> None:
        self._at_hand = None
        # Before any loop has begun, Keras takes a batch to learn its shapes.
        if not self._running or self._running[-1][1] is _Role.PREDICT:
            return
        held, role = self._running[-1]
        callbacks = held()
        if callbacks is None:
            return
        source = self._at_hand = self._sources.setdefault(callbacks.model, {}).setdefault(role, _Data())
        first = fetched[0] == 0
        if first:
            self._recorder.describes_data(source, _facts(iterator.data_adapter))
        tensors = self._backend.tensors((fetched[-1],), {})
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


class Keras:
    """Everything that watches Keras."""

    def __init__(self, recorder: Recorder, patches: Patches, modules: Modules, scaling: Scaling) -> None:
        self._layers = KerasLayers(recorder)
        self._optimizers = KerasOptimizers(recorder, modules.follow, scaling)
        modules.leave(keras.Layer, self._layers)
        self._optimizers.install(patches)
        install_losses(recorder, patches)
        KerasLoops(recorder, self._layers, modules.follow).install(patches)

    def told_as(self, model: nn.Module) -> nn.Module:
        """The module under which the recorder knows a model."""
        return self._layers.told_as(model) if isinstance(model, keras.Layer) else model

    def tell_optimizer(self, optimizer: object) -> bool:
        """Tell of an optimizer that was made before, if it is one of Keras'."""
        if not isinstance(optimizer, BaseOptimizer):
            return False
        self._optimizers.tell(optimizer)
        return True
