"""Weight decay that forgets within the run."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import graded, matrices, steps_taken
from traindx.curves.stated import fact_evidence, stated_number, stated_word
from traindx.facts import OPTIMIZER, OPTIMIZER_PLACE, WEIGHT_DECAY
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import GRADIENT_NORM, LEARNING_RATE, WEIGHT_NORM
from traindx.run import Run

_APART = ("adamw", "lion", "nadamw", "adafactor")
"""Optimizers that shrink weights beside their step."""


@sign(needs=(WEIGHT_DECAY, LEARNING_RATE), severity=Severity.WARNING)
def decay_strong(
    run: Run,
    *,
    forgotten: Annotated[float, "rate times decay, over all steps; bench/thresholds.md#decay"] = 1.0,
    pull: Annotated[float, "decay over gradient, by norm; bench/thresholds.md#decay"] = 1.0,
) -> Answer:
    """Weight decay alone would shrink the weights to a fraction within the run."""
    decay, rates = stated_number(run, WEIGHT_DECAY), run[LEARNING_RATE].finite
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
    by_time = way if kind in (*_APART, "sgd") else 0.0
    if by_time < forgotten and outweighs < pull:
        return None
    if outweighs >= pull and outweighs / pull >= by_time / forgotten:
        says = f"weight decay {decay:g} pulls {outweighs:.2g} times as hard as the typical gradient"
        strength = graded(outweighs, pull, 20 * pull)
    else:
        says = f"weight decay {decay:g} alone leaves {np.exp(-way):.1%} of a weight by the end of the run"
        strength = graded(by_time, forgotten, 5 * forgotten)
    return Finding(strength, says, (fact_evidence(run, WEIGHT_DECAY, OPTIMIZER_PLACE),))


def _pull(run: Run, decay: float) -> float:
    """How hard decay pulls at the typical layer, over its gradient late in the run; 0 if not recorded."""
    weights = {one.layer.name: one.late for one in matrices(run, WEIGHT_NORM)}
    gradients = {one.layer.name: one.late for one in matrices(run, GRADIENT_NORM)}
    pulls = [
        decay * weights[name] / gradient
        for name, gradient in gradients.items()
        if name in weights and gradient > 0
    ]
    return float(np.median(pulls)) if pulls else 0.0
