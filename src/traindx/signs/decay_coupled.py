"""Weight decay that passes through Adam's division."""

from typing import Annotated

from traindx.curves.inside import graded
from traindx.curves.stated import fact_evidence, stated_number, stated_word
from traindx.facts import OPTIMIZER, OPTIMIZER_PLACE, WEIGHT_DECAY
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run

_COUPLED = ("adam", "nadam", "radam", "adamax", "rmsprop", "adagrad", "adadelta")


@sign(needs=(OPTIMIZER, WEIGHT_DECAY), severity=Severity.WARNING)
def decay_coupled(
    run: Run, *, decay: Annotated[float, "coefficient; bench/thresholds.md#decay"] = 1e-3
) -> Answer:
    """An adaptive optimizer gets its weight decay as a part of the gradient, and divides it away."""
    kind, value = stated_word(run, OPTIMIZER), stated_number(run, WEIGHT_DECAY)
    if value is None:
        return CANNOT_TELL
    if kind not in _COUPLED or value < decay:
        return None
    says = f"{run.facts[OPTIMIZER]} adds weight decay {value:g} to the gradient before it divides by its size"
    evidence = fact_evidence(run, WEIGHT_DECAY, OPTIMIZER_PLACE, limit=decay)
    return Finding(graded(value, decay, 100 * decay), says, (evidence,))
