"""The optimizer and regularization."""

from typing import Annotated

import numpy as np

from traindx import quantities as q
from traindx.curves.facts import batches_per_epoch, fact_evidence, stated_number, stated_word
from traindx.curves.layers import matrices
from traindx.curves.limits import DECADE, GRAIN, STRONG, graded, linear
from traindx.curves.series import has_attention, looked, peak_and_usual, steps_taken
from traindx.facts import (
    AVERAGING_MOMENTUM,
    DROPOUT,
    LEARNING_RATE,
    MODEL_PLACE,
    MOMENTUM,
    OPTIMIZER,
    OPTIMIZER_PLACE,
    WEIGHT_DECAY,
)
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import multiple, number, percentage
from traindx.quantities import REPEATED_SHARE
from traindx.run import Run

_SAME = 0.8
"""Share of rows that two batches in a row have in common if they are the same data;
bench/thresholds.md#parts."""
_FAR_BELOW = 0.2
"""Of such a rate, below which it was meant for another optimizer; bench/thresholds.md#usual-rates."""
_OVER = 0.2
"""Share of units beyond the limit that is fully clear; bench/thresholds.md#dropout."""


@sign(needs=(MOMENTUM,), severity=Severity.WARNING)
def momentum_extreme(
    run: Run, *, momentum: Annotated[float, "coefficient; bench/thresholds.md#momentum"] = 0.97
) -> Answer:
    """Momentum is unusually high."""
    value = stated_number(run, MOMENTUM)
    if value is None:
        return CANNOT_TELL
    if not momentum <= value:
        return None
    memory = 1 / max(1 - value, GRAIN)
    says = f"momentum {number(value)} accumulates about {memory:,.0f} gradients (0.9: 10)"
    strength = linear(value, momentum, over=1 - momentum, least=1 / 2)
    return Finding(strength, says, (fact_evidence(run, MOMENTUM, OPTIMIZER_PLACE, limit=momentum),))


_WHOLE_DATA = {
    "lbfgs": "needs the same loss at every evaluation",
    "rprop": "needs full-batch gradients",
}
_DEFAULT_RATES = {"adadelta": 1.0, "adagrad": 0.01}
"""What PyTorch and the papers give them; bench/thresholds.md#usual-rates."""


@sign(needs=(OPTIMIZER,), severity=Severity.WARNING)
def optimizer_ill_fitting(run: Run) -> Answer:
    """The optimizer does not suit this model or these batches."""
    kind, name = stated_word(run, OPTIMIZER), str(run.facts[OPTIMIZER])
    says = _for_whole_data(run, kind, name) or _dies(run, kind, name) or _plain(run, kind, name)
    if not says:
        return None
    strength = 1.0 if kind in _WHOLE_DATA else STRONG
    return Finding(strength, says, (fact_evidence(run, OPTIMIZER, OPTIMIZER_PLACE),))


def _for_whole_data(run: Run, kind: str, name: str) -> str:
    """An optimizer that needs all data at every step, given batches."""
    batches, again = batches_per_epoch(run), looked(run, REPEATED_SHARE)
    if kind not in _WHOLE_DATA or (batches is not None and batches < 2):
        return ""
    if batches is None and (again is None or float(np.median(again.values)) > _SAME):
        return ""
    return f"{name} {_WHOLE_DATA[kind]} but gets a new batch at each step"


def _dies(run: Run, kind: str, name: str) -> str:
    """An optimizer whose steps shrink by themselves, at a rate meant for another."""
    rate, usual = stated_number(run, LEARNING_RATE), _DEFAULT_RATES.get(kind)
    if usual is None or rate is None or rate > _FAR_BELOW * usual:
        return ""
    return f"{name} learning rate is {number(rate)}; its updates are scaled for about {number(usual)}"


def _plain(run: Run, kind: str, name: str) -> str:
    """Plain gradient descent on attention, whose layers differ in scale by orders of magnitude."""
    momentum = stated_number(run, MOMENTUM)
    if kind != "sgd" or not has_attention(run):
        return ""
    sentence = f"{name} (momentum {number(momentum or 0)})"
    return f"{sentence} trains a model with attention, which needs an adaptive optimizer"


_COUPLED = ("adam", "nadam", "radam", "adamax", "rmsprop", "adagrad", "adadelta")


@sign(needs=(OPTIMIZER, WEIGHT_DECAY), severity=Severity.WARNING, formerly="decay_coupled")
def l2_inside_adam(
    run: Run, *, decay: Annotated[float, "coefficient; bench/thresholds.md#decay"] = 1e-3
) -> Answer:
    """Weight decay is added to the gradient of an adaptive optimizer (L2, not decoupled)."""
    kind, value = stated_word(run, OPTIMIZER), stated_number(run, WEIGHT_DECAY)
    if value is None:
        return CANNOT_TELL
    if kind not in _COUPLED or value < decay:
        return None
    says = f"{run.facts[OPTIMIZER]} adds weight decay {number(value)} to the gradient before normalizing it"
    says += " (L2, not decoupled)"
    evidence = fact_evidence(run, WEIGHT_DECAY, OPTIMIZER_PLACE, limit=decay)
    return Finding(graded(value, decay, 100 * decay), says, (evidence,))


@sign(needs=(DROPOUT,), severity=Severity.WARNING)
def dropout_extreme(
    run: Run, *, share: Annotated[float, "of units; bench/thresholds.md#dropout"] = 0.7
) -> Answer:
    """Dropout probability is extreme."""
    value = stated_number(run, DROPOUT)
    if value is None:
        return CANNOT_TELL
    if not share <= value <= 1:
        return None
    says = f"dropout {number(value)} keeps only {percentage(1 - value)} of units (typical: 50% to 90%)"
    strength = linear(value, share, over=_OVER)
    return Finding(strength, says, (fact_evidence(run, DROPOUT, MODEL_PLACE, limit=share),))


@sign(needs=(AVERAGING_MOMENTUM,), severity=Severity.WARNING, formerly="running_averages_lag")
def batchnorm_statistics_lag(
    run: Run,
    *,
    left: Annotated[float, "of the initial running statistics; bench/thresholds.md#averages"] = 0.1,
    fewest: Annotated[float, "steps; bench/thresholds.md#averages"] = 50.0,
) -> Answer:
    """BatchNorm running statistics are still close to their initial values."""
    momentum, steps = stated_number(run, AVERAGING_MOMENTUM), steps_taken(run)
    if momentum is None or not 0 <= momentum <= 1 or not steps or steps < fewest:
        return CANNOT_TELL
    remains = (1 - momentum) ** steps
    if remains < left:
        return None
    says = f"BatchNorm running statistics are still {percentage(remains)} initial value"
    says += f" after {steps:,.0f} steps (momentum {number(momentum)}; default 0.1)"
    evidence = fact_evidence(run, AVERAGING_MOMENTUM, MODEL_PLACE)
    return Finding(min(1.0, 1 / 2 + remains), says, (evidence,))


_APART = ("adamw", "lion", "nadamw", "adafactor")
"""Optimizers that shrink weights beside their step."""


@sign(needs=(WEIGHT_DECAY, q.LEARNING_RATE), severity=Severity.WARNING)
def decay_strong(
    run: Run,
    *,
    forgotten: Annotated[
        float, "learning rate times decay, summed over steps; bench/thresholds.md#decay"
    ] = 1.0,
    pull: Annotated[float, "decay over gradient, by norm; bench/thresholds.md#decay"] = 1.0,
) -> Answer:
    """Weight decay is strong enough to shrink the weights to a fraction."""
    decay, rates = stated_number(run, WEIGHT_DECAY), run[q.LEARNING_RATE].finite
    if decay is None or not len(rates):
        return CANNOT_TELL
    if decay <= 0:
        return None
    way = decay * float(np.mean(rates.values)) * steps_taken(run)
    if not np.isfinite(way):
        return CANNOT_TELL
    kind = stated_word(run, OPTIMIZER)
    # Where decay is a part of the gradient, the two can be compared; SGD knows no difference.
    outweighs = 0.0 if kind in _APART else _pull(run, decay)
    by_time = decay * _within_usual(run) * steps_taken(run) if kind in (*_APART, "sgd") else 0.0
    if by_time < forgotten and outweighs < pull:
        return None
    if outweighs >= pull and outweighs / pull >= by_time / forgotten:
        says = (
            f"weight decay {number(decay)} outweighs the gradient {multiple(outweighs)} in the median layer"
        )
        strength = graded(outweighs, pull, 2 * DECADE * pull)
    else:
        left = percentage(float(np.exp(-way)))
        says = f"weight decay {number(decay)} alone shrinks weights to {left} by the end of the run"
        strength = graded(by_time, forgotten, DECADE / 2 * forgotten)
    return Finding(strength, says, (fact_evidence(run, WEIGHT_DECAY, OPTIMIZER_PLACE),))


def _within_usual(run: Run) -> float:
    """The mean learning rate, without what exceeds the typical range: that is no fault of decay."""
    known = peak_and_usual(run)
    values = run[q.LEARNING_RATE].finite.values
    return float(np.mean(values if known is None else np.minimum(values, known[2])))


def _pull(run: Run, decay: float) -> float:
    """How hard decay pulls at the typical layer, over its gradient late in the run; 0 if not recorded."""
    weights = {matrix.layer.name: matrix.late for matrix in matrices(run, q.WEIGHT_NORM)}
    gradients = {matrix.layer.name: matrix.late for matrix in matrices(run, q.GRADIENT_NORM)}
    pulls = [
        decay * weights[name] / gradient
        for name, gradient in gradients.items()
        if name in weights and gradient > 0
    ]
    return float(np.median(pulls)) if pulls else 0.0
