"""What layers give, and what the model is built of."""

from typing import Annotated

import numpy as np

from traindx.curves.facts import fact_evidence, stated_number
from traindx.curves.layers import (
    hidden_bounded,
    highest_late,
    inputs_of,
    is_matrix,
    is_recurrent,
    owner,
    swelling,
    units_of,
)
from traindx.curves.limits import FAIR, FEW, NEARLY_ALL, graded, linear
from traindx.curves.series import by_layer, seen_in
from traindx.facts import (
    CLASSES,
    LINEAR_LAYERS,
    MODEL,
    MODEL_PLACE,
    NARROW_LAYERS,
    NONLINEARITIES,
    NORMALIZATION_LAYERS,
    PARAMETERS,
)
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import code, count, listed, named_layer, percentage, power_of_ten, step
from traindx.quantities import (
    ACTIVATION_MEAN,
    ACTIVATION_STD,
    ACTIVATION_ZERO_SHARE,
    DEAD_UNIT_SHARE,
    SATURATED_SHARE,
)
from traindx.run import Run, Series

_CENTER = (0.2, 0.8)
"""Where the mean output of a sigmoid lies at first, that of a tanh near 0; bench/thresholds.md#sigmoids."""
_MORE = 3
"""Hidden sigmoids beyond the limit that are fully clear; bench/thresholds.md#sigmoids."""
_MANY = 20
"""Classes beyond which their number says nothing of the room they need, as with the pairs of a batch;
bench/thresholds.md#capacity."""


@sign(needs=(ACTIVATION_STD,), severity=Severity.WARNING)
def activations_fade_over_depth(
    run: Run,
    *,
    decades: Annotated[float, "powers of ten from first to last layers; bench/thresholds.md#depth"] = 1.5,
) -> Answer:
    """Activations vanish over depth, from the start."""
    return _spread_over_depth(run, decades, grows=False)


@sign(needs=(ACTIVATION_STD,), severity=Severity.WARNING)
def activations_swell_over_depth(
    run: Run,
    *,
    decades: Annotated[float, "powers of ten from first to last layers; bench/thresholds.md#depth"] = 1.5,
) -> Answer:
    """Activations explode over depth, from the start."""
    return _spread_over_depth(run, decades, grows=True)


def _spread_over_depth(run: Run, decades: float, *, grows: bool) -> Answer:
    swell = swelling(run)
    if swell is None:
        return CANNOT_TELL
    way = swell.growth if grows else -swell.growth
    if way < decades:
        return None
    says = f"output std of {named_layer(swell.last.layer)} is {power_of_ten(way)}"
    says += f" {'larger' if grows else 'smaller'} than of {named_layer(swell.first.layer)}"
    evidence = seen_in(swell.last, float(swell.last.values[0]))
    return Finding(linear(way, decades, over=2), says, (evidence,))


@sign(needs=((DEAD_UNIT_SHARE, ACTIVATION_ZERO_SHARE),), severity=Severity.SERIOUS, healthy=-0.91)
def dead_units_many(
    run: Run,
    *,
    share: Annotated[float, "of a layer's units; bench/thresholds.md#units"] = 0.5,
    looks: Annotated[int, "fewest sampled steps; bench/thresholds.md#few-looks"] = 2,
) -> Answer:
    """Most units of a layer are dead (zero for every input)."""
    layers = [series for series in by_layer(run, DEAD_UNIT_SHARE) if len(series) >= looks]
    # Units are followed over many rows; a layer without any output but zero needs no following.
    layers += [
        series
        for series in by_layer(run, ACTIVATION_ZERO_SHARE)
        if len(series) > looks and _is_silent(series)
    ]
    if not layers:
        return CANNOT_TELL
    worst = max(layers, key=lambda layer: float(layer.values[-1]))
    dead = float(worst.values[-1])
    if dead < share:
        return None
    since = float(worst.steps[int(np.argmax(worst.values >= share))])
    says = f"{named_layer(worst.layer)}: {percentage(dead)} of units dead since step {step(since)}"
    evidence = seen_in(worst, dead, share, (since, float(worst.steps[-1])))
    return Finding(linear(dead, share, over=NEARLY_ALL - share), says, (evidence,))


def _is_silent(share: Series) -> bool:
    """Whether a layer gave nothing but zeros at every look."""
    return bool((share.values == 1).all())


@sign(needs=(DEAD_UNIT_SHARE,), severity=Severity.SERIOUS, healthy=-0.56)
def units_die(
    run: Run,
    *,
    alive: Annotated[float, "share that is dead at first; bench/thresholds.md#units"] = 0.3,
    share: Annotated[float, "of a layer's units; bench/thresholds.md#units"] = 0.5,
) -> Answer:
    """Most units of a layer die during training."""
    layers = [series for series in by_layer(run, DEAD_UNIT_SHARE) if len(series) > 1]
    if not layers:
        return CANNOT_TELL
    died = [layer for layer in layers if float(layer.values[0]) <= alive and float(layer.values[-1]) >= share]
    if not died:
        return None
    worst = max(died, key=lambda series: float(series.values[-1]))
    since = float(worst.steps[int(np.argmax(worst.values >= share))])
    says = f"{named_layer(worst.layer)}: dead units grow from {percentage(float(worst.values[0]))}"
    says += f" at step {step(float(worst.steps[0]))} to {percentage(float(worst.values[-1]))}"
    return Finding(
        1.0, says, (seen_in(worst, float(worst.values[-1]), share, (since, float(worst.steps[-1]))),)
    )


@sign(needs=(SATURATED_SHARE,), severity=Severity.SERIOUS)
def units_saturate(
    run: Run, *, share: Annotated[float, "of a layer's outputs; bench/thresholds.md#units"] = 0.5
) -> Answer:
    """Most outputs of a hidden sigmoid or tanh layer are saturated."""
    layers = hidden_bounded(run)
    if not layers:
        return CANNOT_TELL
    worst, late = highest_late(layers)
    if late < share:
        return None
    says = f"{named_layer(worst.layer)}: {percentage(late)} of outputs saturated (limit {percentage(share)})"
    strength = linear(late, share, over=NEARLY_ALL - share)
    return Finding(strength, says, (seen_in(worst, late, share),))


@sign(needs=(SATURATED_SHARE, ACTIVATION_MEAN), healthy=-2.14)
def sigmoids_stacked(
    run: Run, *, layers: Annotated[int, "hidden layers; bench/thresholds.md#sigmoids"] = 1
) -> Answer:
    """Hidden layers use sigmoid activations."""
    bounded = {curve.layer for curve in hidden_bounded(run)}
    if not bounded:
        return CANNOT_TELL
    # The gates of recurrent layers are sigmoids on purpose; a layer of its own has no weights.
    weighted = {layer.name.rpartition(".")[0] for layer in run.model}
    means = [curve for curve in by_layer(run, ACTIVATION_MEAN) if curve.layer in bounded - weighted]
    series = [curve for curve in means if _CENTER[0] < float(curve.values[0]) < _CENTER[1]]
    if len(series) < layers:
        return None
    names = listed([code(curve.layer) for curve in series], FEW)
    says = f"sigmoid activations are used in {count(len(series), 'hidden layer')} ({names})"
    strength = graded(len(series), layers, layers + _MORE)
    return Finding(strength, says, (seen_in(series[0], float(series[0].values[0])),))


@sign(needs=(LINEAR_LAYERS, NONLINEARITIES), severity=Severity.SERIOUS, healthy=-0.92)
def nonlinearity_missing(run: Run) -> Answer:
    """Stacked Linear layers without an activation."""
    layers, bends = stated_number(run, LINEAR_LAYERS), stated_number(run, NONLINEARITIES)
    if layers is None or bends is None:
        return CANNOT_TELL
    if bends or layers < 2:
        return None
    says = f"{layers:.0f} linear layers have no activation between them, so the model is linear"
    return Finding(1.0, says, (fact_evidence(run, NONLINEARITIES, MODEL_PLACE),))


@sign(needs=(PARAMETERS,))
def bottleneck_narrow(
    run: Run,
    *,
    units: Annotated[int, "of the narrowest hidden layer; bench/thresholds.md#capacity"] = 4,
    total: Annotated[int, "parameters; bench/thresholds.md#capacity"] = 60,
) -> Answer:
    """A hidden layer has only a few units, or the model only a few parameters."""
    layers = [layer for layer in run.model if is_matrix(layer)]
    size = stated_number(run, PARAMETERS)
    if not layers or size is None:
        return CANNOT_TELL
    classes = stated_number(run, CLASSES) or 0
    hidden = [layer for layer in layers[:-1] if not is_recurrent(layer) and inputs_of(layer) > 1]
    if NARROW_LAYERS in run.facts:
        passed = str(run.facts[NARROW_LAYERS]).split(", ")
        hidden = [layer for layer in hidden if (layer.name.rpartition(".")[0] or layer.name) in passed]
    narrow = min(hidden, key=units_of, default=None)
    least = max(units, min(classes, _MANY) // 4)
    if narrow is not None and units_of(narrow) <= least:
        says = f"hidden {owner(narrow)} has only {count(units_of(narrow), 'unit')}"
        return Finding(1.0, says, (fact_evidence(run, PARAMETERS, MODEL_PLACE),))
    if size > total:
        return None
    says = f"the model has only {count(round(size), 'parameter')}"
    return Finding(FAIR, says, (fact_evidence(run, PARAMETERS, MODEL_PLACE, limit=total),))


@sign(needs=(NORMALIZATION_LAYERS,))
def model_is_deep_and_plain(
    run: Run, *, layers: Annotated[int, "weight matrices; bench/thresholds.md#depth"] = 8
) -> Answer:
    """Deep model without normalization layers."""
    norms = stated_number(run, NORMALIZATION_LAYERS)
    if not run.model or norms is None:
        return CANNOT_TELL
    deep = sum(is_matrix(layer) for layer in run.model)
    if norms or deep < layers:
        return None
    says = f"the model has {deep} weight layers and no normalization layer"
    return Finding(1.0, says, (fact_evidence(run, NORMALIZATION_LAYERS),))


@sign(needs=(MODEL,))
def model_is_recurrent(run: Run) -> Answer:
    """The model has a recurrent layer."""
    if not run.model:
        return CANNOT_TELL
    parameter = next((layer for layer in run.model if is_recurrent(layer)), None)
    if parameter is None:
        return None
    return Finding(1.0, f"{owner(parameter)} is recurrent", (fact_evidence(run, MODEL),))


_PLAIN = ("RNN", "RNNCell", "SimpleRNN")


@sign(needs=(MODEL,))
def recurrent_without_gates(run: Run) -> Answer:
    """A recurrent layer has no gates (plain RNN)."""
    if not run.model:
        return CANNOT_TELL
    parameter = next((layer for layer in run.model if layer.kind in _PLAIN), None)
    if parameter is None:
        return None
    says = f"{owner(parameter)} is recurrent and has no gates"
    return Finding(1.0, says, (fact_evidence(run, MODEL, MODEL_PLACE),))
