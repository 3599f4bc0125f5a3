"""An output that cannot reach its targets."""

from typing import Annotated

from traindx.curves.inside import compares_numbers, looked, seen_in
from traindx.curves.stated import fact_evidence, stated_word
from traindx.facts import LOSS_PLACE, OUTPUT_ACTIVATION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import TARGET_MAX, TARGET_MIN
from traindx.run import Run

_BOUNDS = {
    "sigmoid": (0.0, 1.0),
    "hardsigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "hardtanh": (-1.0, 1.0),
    "log_softmax": (float("-inf"), 0.0),
}


@sign(needs=(OUTPUT_ACTIVATION, TARGET_MIN, TARGET_MAX), severity=Severity.SERIOUS)
def output_bounded_target_not(
    run: Run, *, beyond: Annotated[float, "share of the targets' range; bench/thresholds.md#output"] = 0.1
) -> Answer:
    """The last activation is bounded, and targets lie beyond its bounds."""
    low, high = looked(run, TARGET_MIN), looked(run, TARGET_MAX)
    if low is None or high is None:
        return CANNOT_TELL
    given = stated_word(run, OUTPUT_ACTIVATION)
    if given not in _BOUNDS or not compares_numbers(run):
        return None
    least, most = float(low.values.min()), float(high.values.max())
    bottom, top = _BOUNDS[given]
    out = max(bottom - least, most - top)
    if out <= beyond * max(most - least, 1e-300):
        return None
    says = f"{given} gives values from {bottom:g} to {top:g}, the targets go from {number(least)}"
    says += f" to {number(most)}"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE), seen_in(high, most, top)))
