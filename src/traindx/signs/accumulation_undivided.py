"""Gradients of several batches that are added and not averaged."""

from traindx.curves.inside import graded
from traindx.curves.stated import fact_evidence, stated_number, stated_word
from traindx.facts import ACCUMULATION, BACKWARD_PLACE, BACKWARDS_PER_STEP, LOSS_DIVISOR, OPTIMIZER
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.run import Run

_SCALE_FREE = ("adam", "nadam", "radam", "rmsprop", "adagrad", "adadelta", "lion", "adafactor")


@sign(needs=(BACKWARDS_PER_STEP,), severity=Severity.WARNING)
def accumulation_undivided(run: Run) -> Answer:
    """Gradients of several batches are added up for one step, and the loss is not divided by their number."""
    passes = stated_number(run, BACKWARDS_PER_STEP)
    if passes is None:
        return CANNOT_TELL
    batches = stated_number(run, ACCUMULATION)
    divisor = stated_number(run, LOSS_DIVISOR) or 1.0
    if batches is None or batches < 2 or divisor > 0.5 * batches:
        return None
    says = f"the gradients of {batches:g} batches are added up for one step, and the loss is divided by"
    says += f" {divisor:g}"
    strength = graded(batches / divisor, 2.0, 8.0, least=0.5)
    if stated_word(run, OPTIMIZER).startswith(_SCALE_FREE):
        # Divided by its own size, a gradient k times as long makes the same step.
        strength *= 0.3
    return Finding(strength, says, (fact_evidence(run, ACCUMULATION, BACKWARD_PLACE),))
