"""What Keras tells on any backend: the settings of an optimizer, and its numbers at the end of each epoch."""

import atexit
import sys
import time
from collections.abc import Iterator, Mapping
from numbers import Real
from pathlib import Path
from typing import Protocol

import keras
import numpy as np

from traindx import facts as f
from traindx import quantities as q
from traindx.readers.names.vocabulary import meaning
from traindx.recorder.recording_writer import LayerRecord, RecordingWriter, process_facts
from traindx.run import Event, EventKind, Fact, Scalar

_NAMES = {
    f.LEARNING_RATE: ("learning_rate",),
    f.WEIGHT_DECAY: ("weight_decay",),
    f.MOMENTUM: ("momentum", "beta_1"),
    f.BETA2: ("beta_2",),
    f.GRADIENT_CLIP: ("global_clipnorm", "clipnorm", "clipvalue"),
    # Keras divides what it has accumulated.
    f.LOSS_DIVISOR: ("gradient_accumulation_steps",),
}
"""Facts, and the names under which optimizers configure them."""


class Configured(Protocol):
    """What can tell its configuration."""

    def get_config(self) -> Mapping[str, object]:
        """The arguments that would make another one like it."""


def settings_of(optimizer: Configured) -> Mapping[Fact, Scalar]:
    """Class, learning rate, schedule and coefficients."""
    facts: dict[Fact, Scalar] = {f.OPTIMIZER: type(optimizer).__name__}
    try:
        config = optimizer.get_config()
    except Exception:  # an optimizer of the program's own need not have one
        return facts
    rate = config.get("learning_rate")
    if isinstance(rate, dict):
        facts[f.SCHEDULE] = str(rate.get("class_name", ""))
    for fact, names in _NAMES.items():
        values = [value for name in names if isinstance(value := config.get(name), int | float)]
        if values:
            # Keras keeps 0.001 as a 32-bit float.
            facts[fact] = float(f"{values[0]:.7g}")
    return facts


_STREAM = 1


class KerasEpochs:
    """A recording with one point per epoch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._writer = RecordingWriter()
        self._model: keras.Model = None
        self._began = time.time()
        self._norms: Mapping[str, float] = {}
        self._moved: set[str] = set()

    def begin(self, model: keras.Model, planned: Mapping[str, object]) -> None:
        """Open the file and say what is known before the first epoch."""
        self._model = model
        library = f"{keras.__version__} on {keras.config.backend()}"
        self._writer.open(self.folder / "rank-0", {**process_facts(self._began), "keras": library})
        atexit.register(self._ends)
        self._writer.begin(_STREAM, type(model).__name__, [])
        self._norms = self._weight_norms()
        facts: dict[Fact, Scalar] = {
            f.FRAMEWORK: "keras",
            f.MODEL: type(model).__name__,
            f.PARAMETERS: sum(int(np.prod(variable.shape)) for variable in model.trainable_variables),
            f.SMOOTHING: "mean over an epoch",
            **settings_of(model.optimizer),
        }
        for fact, name in ((f.PLANNED_EPOCHS, "epochs"), (f.STEPS_PER_EPOCH, "steps")):
            value = planned.get(name)
            if isinstance(value, int):
                facts[fact] = value
        for fact, stated in facts.items():
            self._writer.state(_STREAM, fact.slug, stated)
        self._writer.flush()

    def epoch_ends(self, epoch: int, logs: Mapping[str, object]) -> None:
        """Write the numbers of an epoch."""
        step = float(keras.ops.convert_to_numpy(self._model.optimizer.iterations))
        numbers: dict[tuple[str, str, str], float] = {
            (q.EPOCH.slug, "", ""): epoch + 1,
            (q.WALL_TIME.slug, "", ""): time.time() - self._began,
            (q.LEARNING_RATE.slug, "", ""): float(
                keras.ops.convert_to_numpy(self._model.optimizer.learning_rate)
            ),
        }
        for name, value in logs.items():
            meant = meaning(name)
            if meant is not None and isinstance(value, Real):
                numbers[meant.quantity.slug, meant.layer, meant.part] = float(value)
        norms = self._weight_norms()
        self._moved |= {name for name, norm in norms.items() if norm != self._norms.get(name)}
        self._norms = norms
        numbers |= {(q.WEIGHT_NORM.slug, name, ""): norm for name, norm in norms.items()}
        columns = tuple(self._writer.column(_STREAM, *key) for key in numbers)
        self._writer.rows_of(self._writer.layout(columns)).extend([step, *numbers.values()])
        self._writer.layers(_STREAM, list(self._records()))
        self._writer.flush()

    def close(self) -> None:
        """End the recording."""
        atexit.unregister(self._ends)
        self._writer.state(0, f.RECORDED_SECONDS.slug, time.time() - self._began)
        self._writer.close()

    def _ends(self) -> None:
        """The program ends inside `fit`: say how."""
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        if isinstance(error, BaseException):
            says = ": ".join(part for part in (type(error).__name__, str(error).strip()) if part)
            self._writer.happened(0, Event(EventKind.EXCEPTION, says))
        self.close()

    def _weight_norms(self) -> dict[str, float]:
        return {
            name: float(np.linalg.norm(np.asarray(keras.ops.convert_to_numpy(value), np.float64)))
            for name, _, value in self._weights()
        }

    def _weights(self) -> "Iterator[tuple[str, str, keras.Variable]]":
        """Every weight that is or was to be learned: its name, the class of its layer, itself."""
        for layer in self._model._flatten_layers():
            for variable in layer._trainable_variables:
                path = variable.path.removeprefix(f"{self._model.name}/")
                yield path.replace("/", "."), type(layer).__name__, variable

    def _records(self) -> Iterator[LayerRecord]:
        for name, kind, variable in self._weights():
            trainable = bool(variable.trainable)
            # Whether a gradient came is not seen; whether the weight ever moved is.
            yield LayerRecord(name, kind, tuple(variable.shape), trainable, trainable, name in self._moved)
