"""What was recorded of the layers of a model, in the order of the model, and of its batches."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from traindx.facts import BATCH_SIZE, LOSS_FUNCTION, STEPS_PER_EPOCH, TRAINING_SAMPLES
from traindx.finding import Evidence
from traindx.quantities import TRAIN_LOSS
from traindx.run import Floats, Layer, Quantity, Run, Series

_NUMBER_LOSSES = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss mean_squared_error mean_absolute_error log_cosh huber"
    " mean_squared_logarithmic_error mean_absolute_percentage_error".split()
)
_NORMS = ("Norm", "Normalization")
_TABLES = ("Embedding",)
_RECURRENT = ("RNN", "LSTM", "GRU")
_KERAS = ("Dense", "Conv1D", "Conv2D", "Conv3D", "EinsumDense", "SeparableConv2D")
EARLY = 5
"""Looks that show how a run begins."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """A weight matrix or kernel of the model, and one of its series."""

    layer: Layer
    series: Series

    @property
    def early(self) -> float:
        """The median of the first looks, the very first included."""
        return float(np.median(self.series.values[:EARLY]))

    @property
    def late(self) -> float:
        """The median of the last third of the looks."""
        return float(np.median(last_part(self.series.values)))

    @property
    def first(self) -> float:
        """The value of the first look."""
        return float(self.series.values[0])

    def evidence(self, value: float, limit: float | None = None) -> Evidence:
        """A value of this layer as evidence, from its first look to its last."""
        one = self.series
        where = (float(one.steps[0]), float(one.steps[-1]))
        return Evidence(one.quantity, where, value, limit, one.axis, one.part, self.layer.name)


def matrices(run: Run, quantity: Quantity) -> list[Matrix]:
    """Weight matrices and kernels that have finite values of a quantity, in the order of the model.

    Embeddings are left out: their rows get gradients of their own size, and seldom.
    """
    found = {(series.layer, series.part): series.finite for series in run.all(quantity) if series.layer}
    pairs = [(layer, found.get((layer.name, layer.part), found.get((layer.name, "")))) for layer in run.model]
    return [
        Matrix(layer, series)
        for layer, series in pairs
        if series is not None and len(series) and is_matrix(layer)
    ]


def is_matrix(layer: Layer) -> bool:
    """Whether the parameter multiplies what enters its layer, and is no table that is looked up."""
    return len(layer.shape) > 1 and not any(word in layer.kind for word in (*_TABLES, *_NORMS))


def is_table(layer: Layer) -> bool:
    """Whether the parameter is looked up row by row, as an embedding is."""
    return any(word in layer.kind for word in _TABLES)


def learns(layer: Layer) -> bool:
    """Whether nothing keeps the parameter from learning: it is trainable, optimized and reached."""
    return layer.trainable and layer.optimized and layer.gradient


def is_recurrent(layer: Layer) -> bool:
    """Whether the parameter belongs to a layer that is applied step by step."""
    return any(word in layer.kind for word in _RECURRENT)


def units_of(layer: Layer) -> int:
    """How many outputs a weight matrix has."""
    is_keras = any(word == layer.kind for word in _KERAS) or layer.name.endswith(("kernel", "kernel_"))
    return layer.shape[-1] if is_keras else layer.shape[0]


def inputs_of(layer: Layer) -> int:
    """How many values enter one output of a weight matrix."""
    return math.prod(layer.shape) // max(units_of(layer), 1)


def size_of(layer: Layer) -> int:
    """How many values a parameter holds."""
    return math.prod(layer.shape)


def last_part(values: Floats, share: float = 1 / 3) -> Floats:
    """The last values, at least one."""
    return values[-max(1, math.ceil(share * len(values))) :]


def looked(run: Run, quantity: Quantity, part: str = "") -> Series | None:
    """A quantity of the batches, of training or of a part; None where no finite value was recorded."""
    found = [one.finite for one in run.all(quantity) if not one.layer and _is_of(one.part, part)]
    longest = max(found, key=len, default=None)
    return longest if longest is not None and len(longest) else None


def _is_of(part: str, wanted: str) -> bool:
    # Of several optimizers the name of each stands before the part.
    return part == wanted or (bool(wanted) and part.endswith(f" {wanted}"))


def span(series: Series) -> tuple[float, float]:
    """From the first step of a series to its last."""
    return float(series.steps[0]), float(series.steps[-1])


def seen_in(
    series: Series, value: float, limit: float | None = None, steps: tuple[float, float] | None = None
) -> Evidence:
    """A value of a series as evidence."""
    where = steps or span(series)
    return Evidence(series.quantity, where, value, limit, series.axis, series.part, series.layer)


def by_layer(run: Run, quantity: Quantity) -> Iterator[Series]:
    """The finite series of each layer, in the order of the forward pass."""
    for series in run.all(quantity):
        if series.layer and len(series.finite):
            yield series.finite


def compares_numbers(run: Run) -> bool:
    """Whether the loss function compares numbers with numbers, as in a regression."""
    return run.facts.get(LOSS_FUNCTION) in _NUMBER_LOSSES


def steps_taken(run: Run) -> float:
    """The last recorded step."""
    return max((float(one.steps[-1]) for one in run.all(TRAIN_LOSS) if len(one)), default=0.0)


def batches_per_epoch(run: Run) -> float | None:
    """Optimizer steps in one pass over the data, as stated or as sizes tell; None where neither is known."""
    stated = run.facts.get(STEPS_PER_EPOCH)
    if isinstance(stated, int | float) and stated > 0:
        return float(stated)
    samples, batch = run.facts.get(TRAINING_SAMPLES), run.facts.get(BATCH_SIZE)
    if isinstance(samples, int | float) and isinstance(batch, int | float) and batch > 0:
        return math.ceil(samples / batch)
    return None


def graded(value: float, limit: float, full: float, *, least: float = 0.3) -> float:
    """How clear a value beyond its limit is, by orders of magnitude: `least` at the limit, 1 at `full`."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    way = math.log(value / limit) / math.log(full / limit)
    return min(1.0, max(least, least + (1 - least) * way))
