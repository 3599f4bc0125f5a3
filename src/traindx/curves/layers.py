"""What was recorded of the layers of a model, in the order of the model."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from traindx.curves.facts import stated_word
from traindx.curves.limits import FEW
from traindx.curves.series import by_layer, last_part
from traindx.facts import GATES, OUTPUT_ACTIVATION
from traindx.finding import Evidence
from traindx.format import code, count, listed, named_layer, percentage, printable
from traindx.quantities import ACTIVATION_STD, GRADIENT_NORM, SATURATED_SHARE, WEIGHT_NORM
from traindx.run import Parameter, Quantity, Run, Series

_NORMS = ("Norm", "Normalization")
_TABLES = ("Embedding",)
_SHAPE_OF_TOKENS = 3
"""Dimensions of what is added to a batch of sequences; bench/thresholds.md#capacity."""
_RECURRENT = ("RNN", "LSTM", "GRU")
_KERAS = ("Dense", "Conv1D", "Conv2D", "Conv3D", "EinsumDense", "SeparableConv2D")
EARLY = 5
"""Looks that show how a run begins; bench/thresholds.md#few-looks."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """A weight matrix or kernel of the model, and one of its series."""

    layer: Parameter
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
        series = self.series
        where = (float(series.steps[0]), float(series.steps[-1]))
        return Evidence(series.quantity, where, value, limit, series.axis, series.part, self.layer.name)


def matrices(run: Run, quantity: Quantity) -> list[Matrix]:
    """Weight matrices and kernels that have finite values of a quantity, in the order of the model.

    Embeddings are left out: their rows get gradients of their own size, and seldom.
    """
    series = {(series.layer, series.part): series.finite for series in run.all(quantity) if series.layer}
    pairs = [
        (layer, series.get((layer.name, layer.part), series.get((layer.name, "")))) for layer in run.model
    ]
    return [
        Matrix(layer, series)
        for layer, series in pairs
        if series is not None and len(series) and is_matrix(layer)
    ]


def is_matrix(layer: Parameter) -> bool:
    """Whether the parameter multiplies what enters its layer, and is no table that is looked up or added."""
    if len(layer.shape) < 2 or any(word in layer.kind for word in (*_TABLES, *_NORMS)):
        return False
    # Positions or a class token that a module holds itself are (1, length, size): added, not multiplied.
    return layer.shape[0] > 1 or len(layer.shape) < _SHAPE_OF_TOKENS or "Conv" in layer.kind


def is_table(layer: Parameter) -> bool:
    """Whether the parameter is looked up row by row, as an embedding is."""
    return any(word in layer.kind for word in _TABLES)


def learns(layer: Parameter) -> bool:
    """Whether nothing keeps the parameter from learning: it is trainable, optimized and reached."""
    return layer.trainable and layer.optimized and layer.gradient


def is_recurrent(layer: Parameter) -> bool:
    """Whether the parameter belongs to a layer that is applied step by step."""
    return any(word in layer.kind for word in _RECURRENT)


def units_of(layer: Parameter) -> int:
    """How many outputs a weight matrix has."""
    is_keras = any(word == layer.kind for word in _KERAS) or layer.name.endswith(("kernel", "kernel_"))
    return layer.shape[-1] if is_keras else layer.shape[0]


def owner(parameter: Parameter) -> str:
    """The layer that a parameter belongs to, as a sentence names it: "layer `encoder.0` (Linear)"."""
    name = parameter.name.rpartition(".")[0] or parameter.name
    return f"{named_layer(name)} ({parameter.kind})" if parameter.kind else named_layer(name)


def inputs_of(layer: Parameter) -> int:
    """How many values enter one output of a weight matrix."""
    return math.prod(layer.shape) // max(units_of(layer), 1)


def size_of(layer: Parameter) -> int:
    """How many values a parameter holds."""
    return math.prod(layer.shape)


_LONGEST_END = 3
"""Layers that stand for the first or the last of a model; bench/thresholds.md#depth."""
_FEWEST = 4
"""Layers over which outputs may change with depth; bench/thresholds.md#depth."""
_AGREED = 0.5
"""Of what outputs fade by: what each of the last layers shows at least, in powers of ten;
bench/thresholds.md#depth."""


@dataclass(frozen=True, eq=False)
class Depth:
    """The gradient against the weights, from the first layer to the last, early in the run."""

    layers: int
    first: Matrix
    last: Matrix
    fading: float
    """Powers of ten by which the first layers lie below the last; negative where they lie above."""


_COMPARED = frozenset("q k q_proj k_proj query key q_lin k_lin to_q to_k wq wk query_key".split())


def _is_compared(layer: Parameter) -> bool:
    """Whether it makes queries or keys: small weights compare nothing, so their gradients start tiny."""
    return not _COMPARED.isdisjoint(layer.name.lower().split("."))


def over_depth(run: Run) -> Depth | None:
    """How gradients change over depth; None where fewer than two layers have any."""
    sizes = {matrix.layer.name: matrix.early for matrix in matrices(run, WEIGHT_NORM)}
    # A layer without any gradient is cut off, dead or not yet reached: that is asked elsewhere.
    measured = [
        (matrix, math.log10(matrix.early / sizes[matrix.layer.name]))
        for matrix in matrices(run, GRADIENT_NORM)
        if matrix.early > 0 and sizes.get(matrix.layer.name, 0.0) > 0 and not _is_compared(matrix.layer)
    ]
    if len(measured) < 2:
        return None
    end = min(_LONGEST_END, len(measured) // 2)
    ratios = [ratio for _, ratio in measured]
    fading = float(np.median(ratios[-end:]) - np.median(ratios[:end]))
    return Depth(len(measured), measured[0][0], measured[-1][0], fading)


@dataclass(frozen=True, eq=False)
class Swell:
    """The spread of outputs, from the first layers to the last, at the first looks."""

    layers: int
    first: Series
    last: Series
    growth: float
    """Powers of ten by which the last hidden layers lie above the first."""


def swelling(run: Run) -> Swell | None:
    """How outputs change over depth before much was learned; None where fewer than four layers have any."""
    outputs = [series for series in by_layer(run, ACTIVATION_STD) if not series.part]
    sizes = [(output, float(np.median(output.values[:EARLY]))) for output in outputs]
    known = [(series, math.log10(size)) for series, size in sizes if size > 0]
    # The output itself is left out: its scale is the task's.
    known = known[:-1]
    if len(known) < _FEWEST:
        return None
    end = min(_LONGEST_END, len(known) // 2)
    first, last = _middle(known[:end]), _middle(known[-end:])
    growth = last[1] - first[1]
    if growth < 0:
        # A branch that ends small beside a trunk that does not is no change over depth.
        agreed = min((level - first[1]) / growth for _, level in known[-end:])
        growth *= 1.0 if agreed >= _AGREED else max(agreed, 0.0)
    return Swell(len(known), first[0], last[0], growth)


def _middle(levels: list[tuple[Series, float]]) -> tuple[Series, float]:
    """The layer whose level is the median."""
    return sorted(levels, key=lambda level: level[1])[len(levels) // 2]


@dataclass(frozen=True, eq=False)
class Gain:
    """A weight matrix at the first look."""

    matrix: Matrix
    gain: float
    """Spread of a weight times the root of the values that enter a unit: 1.4 is He's, 0.6 torch's own."""


def starting_gains(run: Run) -> list[Gain]:
    """The gain of every weight matrix at the first look; none where that came after many steps."""
    gains = []
    for matrix in matrices(run, WEIGHT_NORM):
        if matrix.series.steps[0] > FEW:
            continue
        size, units = size_of(matrix.layer), max(units_of(matrix.layer), 1)
        spread = matrix.first / math.sqrt(max(size, 1))
        gains.append(Gain(matrix, spread * math.sqrt(size / units)))
    return gains


_NAMED = 3
"""Parameters named in a sentence; bench/thresholds.md#sentence."""
_NAME = 40
"""Characters of such a name; bench/thresholds.md#sentence."""


@dataclass(frozen=True)
class Held:
    """Parameters that something holds of, out of all."""

    layers: tuple[Parameter, ...]
    share: float
    """Of all values of the model."""
    is_first_part: bool
    """Whether they are the first layers of the model and nothing after them, as a backbone is."""

    @property
    def told(self) -> str:
        """How many they are and what the first are called, as the subject of a sentence."""
        names = listed([code(printable(layer.name, _NAME)) for layer in self.layers], _NAMED)
        return f"{count(len(self.layers), 'parameter')} ({percentage(self.share)} of all values: {names})"

    @property
    def verb(self) -> str:
        """The verb that belongs to `told`."""
        return "is" if len(self.layers) == 1 else "are"


def has_adapters(run: Run) -> bool:
    """Whether narrow matrices learn beside frozen ones that their product fits, as LoRA adds them."""
    learning = [parameter for parameter in run.model if parameter.trainable and len(parameter.shape) == 2]
    return any(
        _is_adapted(frozen, [parameter for parameter in learning if _stands_beside(parameter, frozen)])
        for frozen in run.model
        if not frozen.trainable and len(frozen.shape) == 2
    )


def _stands_beside(parameter: Parameter, frozen: Parameter) -> bool:
    """Whether a parameter belongs to the module of a frozen one, or to the module around it."""
    around = frozen.name.split(".")
    modules = [".".join(around[:end]) for end in (len(around) - 1, len(around) - 2) if end > 0]
    return any(parameter.name.startswith(f"{module}.") for module in modules)


def _is_adapted(frozen: Parameter, beside: list[Parameter]) -> bool:
    ranks = {min(parameter.shape) for parameter in beside if min(parameter.shape) < min(frozen.shape)}
    shapes = {frozenset(parameter.shape) for parameter in beside}
    return any(all({rank, size} in shapes for size in frozen.shape) for rank in ranks)


def held_back(run: Run, is_held: Callable[[Parameter], bool]) -> Held | None:
    """The parameters of the model that something holds of; None where it holds of none."""
    model = [layer for layer in run.model if layer.kind]
    held = [layer for layer in model if is_held(layer)]
    total = sum(map(size_of, model))
    if not held or not total:
        return None
    first = model[: len(held)] == held and len(held) < len(model)
    return Held(tuple(held), sum(map(size_of, held)) / total, first)


_BOUNDED = ("sigmoid", "tanh", "hardtanh", "hardsigmoid", "softsign")


def hidden_bounded(run: Run) -> list[Series]:
    """The shares at the flat ends of each hidden layer, in forward order.

    An output that is meant to say yes or no lies at its ends when it is sure, and so does a gate.
    """
    gates = str(run.facts.get(GATES, "")).split(", ")
    layers = [series for series in by_layer(run, SATURATED_SHARE) if series.layer not in gates]
    return layers[:-1] if stated_word(run, OUTPUT_ACTIVATION) in _BOUNDED else layers


def highest_late(layers: list[Series]) -> tuple[Series, float]:
    """The layer whose values are highest late in the run, and their median there."""
    late = [float(np.median(last_part(layer.values))) for layer in layers]
    index = int(np.argmax(late))
    return layers[index], late[index]
