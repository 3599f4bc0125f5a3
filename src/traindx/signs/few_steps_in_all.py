"""A run of few steps, whatever its epochs."""

from typing import Annotated

from traindx.curves.inside import graded, steps_taken
from traindx.curves.stated import fact_evidence
from traindx.facts import TRAINING_SAMPLES
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@sign(needs=(TRAIN_LOSS, TRAINING_SAMPLES))
def few_steps_in_all(
    run: Run, *, steps: Annotated[float, "of the optimizer; bench/thresholds.md#few-steps"] = 120.0
) -> Answer:
    """The weights were moved a few dozen times in all."""
    taken = steps_taken(run)
    if not taken:
        return CANNOT_TELL
    if taken > steps:
        return None
    says = f"the run takes {taken:.0f} optimizer steps in all"
    strength = graded(steps / taken, 1.0, 10.0)
    return Finding(strength, says, (fact_evidence(run, TRAINING_SAMPLES),))
