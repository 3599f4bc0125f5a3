"""A run that ends after a few passes over its data, while it learns."""

from typing import Annotated

from traindx.curves.curve import curve_of, whole
from traindx.curves.inside import batches_per_epoch, steps_taken
from traindx.curves.stated import fact_evidence
from traindx.facts import STEPS_PER_EPOCH, TRAINING_SAMPLES
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run


@sign(needs=(TRAIN_LOSS, TRAINING_SAMPLES))
def few_passes(
    run: Run,
    *,
    passes: Annotated[float, "over the training data; bench/thresholds.md#passes"] = 3.5,
    samples: Annotated[float, "in the training data; bench/thresholds.md#passes"] = 20_000,
    noises: Annotated[float, "fall over its standard error; bench/thresholds.md#noises"] = 2.0,
) -> Answer:
    """The run ends after a few passes over a small data set, and its loss is still on the way down."""
    loss, each = curve_of(whole(run, TRAIN_LOSS)), batches_per_epoch(run)
    rows = run.facts.get(TRAINING_SAMPLES)
    if each is None or len(loss) < 20 or not isinstance(rows, int | float):
        return CANNOT_TELL
    done = steps_taken(run) / each
    # A large data set is seen once or twice on purpose.
    if done > passes or rows > samples:
        return None
    late = loss.level_at(2 / 3) - loss.end
    if late < max(noises * loss.end_noise, 0.03 * loss.progress):
        return None
    says = f"the run makes {done:.1f} passes over {rows:,.0f} samples, and its last third takes the loss from"
    says += f" {loss.text(loss.level_at(2 / 3))} to {loss.text(loss.end)}"
    fact = STEPS_PER_EPOCH if STEPS_PER_EPOCH in run.facts else TRAINING_SAMPLES
    return Finding(1.0, says, (fact_evidence(run, fact),))
