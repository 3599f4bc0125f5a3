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
    NONLINEARITIES,
    NORMALISATION_LAYERS,
    PARAMETERS,
)
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import (
    ACTIVATION_MEAN,
    ACTIVATION_STD,
    ACTIVATION_ZERO_SHARE,
    DEAD_UNIT_SHARE,
    SATURATED_SHARE,
)
from traindx.run import Run, Series

_CENTRE = (0.2, 0.8)
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
    """Outputs shrink by orders of magnitude from the first layers to the last, from the start."""
    return _spread_over_depth(run, decades, grows=False)


@sign(needs=(ACTIVATION_STD,), severity=Severity.WARNING)
def activations_swell_over_depth(
    run: Run,
    *,
    decades: Annotated[float, "powers of ten from first to last layers; bench/thresholds.md#depth"] = 1.5,
) -> Answer:
    """Outputs grow by orders of magnitude from the first layers to the last, from the start."""
    return _spread_over_depth(run, decades, grows=True)


def _spread_over_depth(run: Run, decades: float, *, grows: bool) -> Answer:
    swell = swelling(run)
    if swell is None:
        return CANNOT_TELL
    way = swell.growth if grows else -swell.growth
    if way < decades:
        return None
    says = f"the outputs of {swell.last.layer} spread 10^{way:.1f} times {'larger' if grows else 'smaller'}"
    says += f" than those of {swell.first.layer}"
    evidence = seen_in(swell.last, float(swell.last.values[0]))
    return Finding(linear(way, decades, over=2), says, (evidence,))


@sign(needs=((DEAD_UNIT_SHARE, ACTIVATION_ZERO_SHARE),), severity=Severity.SERIOUS, healthy=-0.91)
def dead_units_many(
    run: Run,
    *,
    share: Annotated[float, "of a layer's units; bench/thresholds.md#units"] = 0.5,
    looks: Annotated[int, "fewest looks; bench/thresholds.md#few-looks"] = 2,
) -> Answer:
    """In some layer most units have been zero for every input, over many batches."""
    layers = [one for one in by_layer(run, DEAD_UNIT_SHARE) if len(one) >= looks]
    # Units are followed over many rows; a layer without any output but zero needs no following.
    layers += [one for one in by_layer(run, ACTIVATION_ZERO_SHARE) if len(one) > looks and _is_silent(one)]
    if not layers:
        return CANNOT_TELL
    worst = max(layers, key=lambda one: float(one.values[-1]))
    dead = float(worst.values[-1])
    if dead < share:
        return None
    since = float(worst.steps[int(np.argmax(worst.values >= share))])
    says = f"{worst.layer}: {dead:.0%} of units have been zero for every input since step {since:,.0f}"
    says += f" (limit {share:.0%})"
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
    """Units of a layer fire at first, and most of them stop during training."""
    layers = [one for one in by_layer(run, DEAD_UNIT_SHARE) if len(one) > 1]
    if not layers:
        return CANNOT_TELL
    died = [one for one in layers if float(one.values[0]) <= alive and float(one.values[-1]) >= share]
    if not died:
        return None
    worst = max(died, key=lambda one: float(one.values[-1]))
    since = float(worst.steps[int(np.argmax(worst.values >= share))])
    says = f"{worst.layer}: {worst.values[0]:.0%} of units are dead at step {worst.steps[0]:,.0f}"
    says += f", {worst.values[-1]:.0%} at the end"
    return Finding(
        1.0, says, (seen_in(worst, float(worst.values[-1]), share, (since, float(worst.steps[-1]))),)
    )


@sign(needs=(SATURATED_SHARE,), severity=Severity.SERIOUS)
def units_saturate(
    run: Run, *, share: Annotated[float, "of a layer's outputs; bench/thresholds.md#units"] = 0.5
) -> Answer:
    """In some hidden layer most outputs of a bounded activation lie at its flat ends."""
    layers = hidden_bounded(run)
    if not layers:
        return CANNOT_TELL
    worst, late = highest_late(layers)
    if late < share:
        return None
    says = f"{worst.layer}: {late:.0%} of outputs lie at the flat ends of the activation (limit {share:.0%})"
    strength = linear(late, share, over=NEARLY_ALL - share)
    return Finding(strength, says, (seen_in(worst, late, share),))


@sign(needs=(SATURATED_SHARE, ACTIVATION_MEAN), healthy=-2.14)
def sigmoids_stacked(
    run: Run, *, layers: Annotated[int, "hidden layers; bench/thresholds.md#sigmoids"] = 1
) -> Answer:
    """Hidden layers end in a sigmoid, which passes a quarter of a gradient at most."""
    bounded = {one.layer for one in hidden_bounded(run)}
    if not bounded:
        return CANNOT_TELL
    # The gates of recurrent layers are sigmoids on purpose; a layer of its own has no weights.
    weighted = {layer.name.rpartition(".")[0] for layer in run.model}
    means = [one for one in by_layer(run, ACTIVATION_MEAN) if one.layer in bounded - weighted]
    found = [one for one in means if _CENTRE[0] < float(one.values[0]) < _CENTRE[1]]
    if len(found) < layers:
        return None
    names = ", ".join(str(one.layer) for one in found[:FEW]) + (" ..." if len(found) > FEW else "")
    says = f"{len(found)} hidden {'layers end' if len(found) > 1 else 'layer ends'} in a sigmoid ({names})"
    strength = graded(len(found), layers, layers + _MORE)
    return Finding(strength, says, (seen_in(found[0], float(found[0].values[0])),))


@sign(needs=(LINEAR_LAYERS, NONLINEARITIES), severity=Severity.SERIOUS, healthy=-0.92)
def nonlinearity_missing(run: Run) -> Answer:
    """Several linear layers follow each other with nothing between that bends."""
    layers, bends = stated_number(run, LINEAR_LAYERS), stated_number(run, NONLINEARITIES)
    if layers is None or bends is None:
        return CANNOT_TELL
    if bends or layers < 2:
        return None
    says = f"{layers:g} linear layers and no activation between them make a linear model"
    return Finding(1.0, says, (fact_evidence(run, NONLINEARITIES, MODEL_PLACE),))


@sign(needs=(PARAMETERS,))
def bottleneck_narrow(
    run: Run,
    *,
    units: Annotated[int, "of the narrowest hidden layer; bench/thresholds.md#capacity"] = 4,
    total: Annotated[int, "parameters; bench/thresholds.md#capacity"] = 60,
) -> Answer:
    """The narrowest hidden layer has a handful of units, or the whole model a handful of parameters."""
    layers = [layer for layer in run.model if is_matrix(layer)]
    size = stated_number(run, PARAMETERS)
    if not layers or size is None:
        return CANNOT_TELL
    classes = stated_number(run, CLASSES) or 0
    hidden = [layer for layer in layers[:-1] if not is_recurrent(layer) and inputs_of(layer) > 1]
    narrow = min(hidden, key=units_of, default=None)
    least = max(units, min(classes, _MANY) // 4)
    if narrow is not None and units_of(narrow) <= least:
        says = f"everything passes the {units_of(narrow)} units of {narrow.name}"
        return Finding(1.0, says, (fact_evidence(run, PARAMETERS, MODEL_PLACE),))
    if size > total:
        return None
    says = f"the model has {size:.0f} parameters"
    return Finding(FAIR, says, (fact_evidence(run, PARAMETERS, MODEL_PLACE, limit=total),))


@sign(needs=(NORMALISATION_LAYERS,))
def model_is_deep_and_plain(
    run: Run, *, layers: Annotated[int, "weight matrices; bench/thresholds.md#depth"] = 8
) -> Answer:
    """The model is deep and has no normalisation layer."""
    norms = stated_number(run, NORMALISATION_LAYERS)
    if not run.model or norms is None:
        return CANNOT_TELL
    deep = sum(is_matrix(layer) for layer in run.model)
    if norms or deep < layers:
        return None
    says = f"{deep} weight matrices without a normalisation layer"
    return Finding(1.0, says, (fact_evidence(run, NORMALISATION_LAYERS),))


@sign(needs=(MODEL,))
def model_is_recurrent(run: Run) -> Answer:
    """The model passes its state from step to step of a sequence."""
    if not run.model:
        return CANNOT_TELL
    found = next((layer for layer in run.model if is_recurrent(layer)), None)
    if found is None:
        return None
    return Finding(1.0, f"{found.name} is a recurrent layer ({found.kind})", (fact_evidence(run, MODEL),))


_PLAIN = ("RNN", "RNNCell", "SimpleRNN")


@sign(needs=(MODEL,))
def recurrent_without_gates(run: Run) -> Answer:
    """A recurrent layer has no gates: what it remembers is multiplied at every step of a sequence."""
    if not run.model:
        return CANNOT_TELL
    found = next((layer for layer in run.model if layer.kind in _PLAIN), None)
    if found is None:
        return None
    says = f"{found.name} is a recurrent layer without gates ({found.kind})"
    return Finding(1.0, says, (fact_evidence(run, MODEL, MODEL_PLACE),))
